import { sha256Of } from '@lettergate/canonical-json'
import type {
  ResendCampaignRunUnknownRequest,
  ResendCampaignRunUnknownResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { isUniqueViolation } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findByKey } from '../idempotency/idempotency-key.entity.ts'
import { parseIdempotencyKey } from '@lettergate/values/idempotency-key'
import { requireRun, runReply } from '../runs/campaign-run.entity.ts'
import { countSent } from '../runs/run-recipient.entity.ts'
import { requireConditions } from '../schedule/schedule-facts.ts'
import { beginResend } from './begin-resend.ts'
import { findLiveRun, planResend, type ResendRequest, type ResentRun } from './resend-plan.ts'
import { campaignIsLive, refusalOfRun, requireConfirmation } from './resend.ts'

const statementTimeoutMs = 60_000

/**
 * Sends the unknown messages of a run again, as a new linked run. A person must confirm with the exact words and the exact
 * count, because recipients may get the email twice; nothing else resends. Repeats and concurrent requests with one key
 * return one run.
 */
export async function resendCampaignRunUnknown(
  ctx: Ctx,
  req: ResendCampaignRunUnknownRequest,
): Promise<Reply<typeof ResendCampaignRunUnknownResponseSchema>> {
  const { runId, count, senderIdentityId } = req
  const key = parseIdempotencyKey(req.idempotencyKey)
  requireConfirmation(req.confirmation, count)
  const sender = senderIdentityId === undefined ? {} : { sender_identity_id: senderIdentityId }
  const fingerprint = sha256Of({ run_id: runId, count, ...sender })
  const request = { operation: 'resend_campaign_run_unknown', key, fingerprint, runId, count, senderIdentityId }

  const newRunId = (await findResentRun(ctx, request)) ?? (await resend(ctx, request))
  return ctx.tx(async (em) => {
    const run = await requireRun(em, ctx.workspaceId, newRunId)
    return { campaignRun: runReply(run, await countSent(em, ctx.workspaceId, newRunId)) }
  })
}

/** Returns the run that was created with the key, if any. Fault `not_found` when the run to resend does not exist. */
const findResentRun = (ctx: Ctx, request: ResendRequest): Promise<string | undefined> =>
  ctx.tx(async (em) => {
    await requireRun(em, ctx.workspaceId, request.runId)
    return findByKey(em, ctx.workspaceId, request)
  })

async function resend(ctx: Ctx, request: ResendRequest): Promise<string> {
  try {
    const run = await ctx.tx((em) => planResend(em, ctx.workspaceId, request), {
      isSnapshot: true,
      isLong: true,
      statementTimeoutMs,
    })
    await requireStillSendable(ctx, run)
    return await begin(ctx, request, run)
  } catch (refusal) {
    // A duplicate request may have been faster. Then its run is the result.
    const made = await findResentRun(ctx, request)
    if (made === undefined) throw refusal
    return made
  }
}

/** Checks all conditions of scheduling for a run that is due now, except that the campaign is a draft. */
async function requireStillSendable(ctx: Ctx, run: ResentRun): Promise<void> {
  const at = ctx.now()
  const due = { scheduledFor: new Date(at.getTime() + 1), at }
  await requireConditions(ctx, { ...run, status: 'draft' }, due).catch((error: unknown) => {
    throw refusalOfRun(error)
  })
}

async function begin(ctx: Ctx, request: ResendRequest, run: ResentRun): Promise<string> {
  const { workspaceId } = ctx
  try {
    return await ctx.tx((em) => beginResend(em, ctx, request, run), { isLong: true, statementTimeoutMs })
  } catch (error) {
    if (!isUniqueViolation(error, 'campaign_runs_one_live')) throw error
    throw campaignIsLive(await ctx.tx((em) => findLiveRun(em, workspaceId, run.campaign_id)))
  }
}
