import { sha256Of } from '@lettergate/canonical-json'
import type {
  ResendCampaignRunUnknownRequest,
  ResendCampaignRunUnknownResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { isUniqueViolation } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findByKey } from '../idempotency/idempotency-key.entity.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency.ts'
import { requireRun, runReply } from '../runs/campaign-run.entity.ts'
import { countSent } from '../runs/run-recipient.entity.ts'
import { requireConditions } from '../schedule/schedule-facts.ts'
import { beginResend } from './begin-resend.ts'
import { findLiveRun, planResend, type ResendRequest, type ResentRun } from './resend-plan.ts'
import { campaignIsLive, refusalOfRun, requireConfirmation } from './resend.ts'

const statementTimeoutMs = 60_000

/**
 * Sends the unknown messages of a run again, as a new run that is linked to it, because a person said so in the exact words
 * and with the exact count: the provider may have these messages, so people may get the email twice. Nothing else does this.
 * Repeats and concurrent requests with one key answer one run.
 */
export async function resendCampaignRunUnknown(
  ctx: Ctx,
  req: ResendCampaignRunUnknownRequest,
): Promise<Reply<typeof ResendCampaignRunUnknownResponseSchema>> {
  const { runId, count } = req
  const key = parseIdempotencyKey(req.idempotencyKey)
  requireConfirmation(req.confirmation, count)
  const fingerprint = sha256Of({ run_id: runId, count })
  const request = { operation: 'resend_campaign_run_unknown', key, fingerprint, runId, count }

  const newRunId = (await madeBefore(ctx, request)) ?? (await resend(ctx, request))
  return ctx.tx(async (em) => {
    const run = await requireRun(em, ctx.workspaceId, newRunId)
    return { campaignRun: runReply(run, await countSent(em, ctx.workspaceId, newRunId)) }
  })
}

/** The run that the key stands for, if any; the run to send again must exist in any case. */
const madeBefore = (ctx: Ctx, request: ResendRequest): Promise<string | undefined> =>
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
    // An equal request may have been faster; then its run is the answer.
    const made = await madeBefore(ctx, request)
    if (made === undefined) throw refusal
    return made
  }
}

/** Everything that scheduling asks for, of a run that is due now. That its campaign was sent is in nobody's way. */
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
