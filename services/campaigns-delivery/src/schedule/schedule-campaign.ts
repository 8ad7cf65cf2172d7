import { setTimeout as sleep } from 'node:timers/promises'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { sha256Of } from '@lettergate/canonical-json'
import type {
  ScheduleCampaignRequest,
  ScheduleCampaignResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { isUniqueViolation, kyselyOf, newId, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { requireCurrentDraft, type CurrentDraft } from '../drafts/current-draft.ts'
import { requireExpectedDraft } from '../drafts/require-expected-draft.ts'
import { findByKey, takeKey, type KeyedRequest } from '../idempotency/idempotency-key.entity.ts'
import { parseIdempotencyKey } from '@lettergate/values/idempotency-key'
import { CampaignRun, requireRun, runReply } from '../runs/campaign-run.entity.ts'
import { countSent } from '../runs/run-recipient.entity.ts'
import { requireConditions } from './schedule-facts.ts'
import { errorOf } from './snapshot-failure.ts'
import { requestSnapshot, readSnapshotState } from './snapshot-job.entity.ts'

interface ScheduleRequest extends KeyedRequest {
  /** when the request arrived; conditions are evaluated at this time */
  at: Date
  campaignId: string
  scheduledFor: Date
  expectedVersion: number | undefined
}

const operation = 'schedule_campaign'
const pollMs = 100
/** time reserved for the reply before the caller's deadline */
const answerMs = 500

/**
 * Schedules a draft, once for each idempotency key: repeats and concurrent requests return the same run. A worker builds the
 * snapshot; until then the run is invisible. If the deadline is too short, the caller is asked to repeat the request. Fault
 * `conflict` if the caller expected another version than the current one.
 */
export async function scheduleCampaign(
  ctx: Ctx,
  req: ScheduleCampaignRequest,
): Promise<Reply<typeof ScheduleCampaignResponseSchema>> {
  const scheduledFor = parseTime(req.scheduledFor)
  const key = parseIdempotencyKey(req.idempotencyKey)
  const request: ScheduleRequest = {
    at: ctx.now(),
    campaignId: req.campaignId,
    scheduledFor,
    expectedVersion: req.expectedVersion,
    operation,
    key,
    fingerprint: sha256Of({
      campaign_id: req.campaignId,
      scheduled_for: scheduledFor.toISOString(),
      ...(req.expectedVersion !== undefined && { expected_version: req.expectedVersion }),
    }),
  }
  let runId: string | undefined
  for (;;) {
    runId ??= await requestRun(ctx, request)
    if (runId !== undefined) {
      const requested = runId
      const snapshot = await ctx.tx((em) => readSnapshotState(em, ctx.workspaceId, requested))
      if (snapshot.kind === 'scheduled') return answer(ctx, runId)
      if (snapshot.kind === 'failed') throw errorOf(snapshot.failure)
      if (snapshot.kind === 'gone') runId = undefined
    }
    if (ctx.signal.aborted || Date.now() + pollMs + answerMs > ctx.deadline) throw stillScheduling()
    await sleep(pollMs)
  }
}

const stillScheduling = () =>
  new Fault(
    'unavailable',
    'still_scheduling',
    'This request is still being carried out and may yet schedule the campaign. Send it again with the same key in a moment.',
  )

const scheduling = {
  notDone: 'Nothing was scheduled.',
  next: (version: number) => `then schedule version ${version}`,
}

/** Returns the run of the key and requests it if needed. Undefined when another request took the key and was removed again. */
async function requestRun(ctx: Ctx, request: ScheduleRequest): Promise<string | undefined> {
  const { draft, runId } = await ctx.tx((em) => findDraftAndRun(em, ctx.workspaceId, request))
  if (runId !== undefined) return runId
  requireExpectedDraft(draft, request.expectedVersion, scheduling)
  try {
    await requireConditions(ctx, draft, request)
  } catch (refusal) {
    // A duplicate request may have scheduled the campaign in the meantime. Then its run is the result.
    const now = await ctx.tx((em) => findDraftAndRun(em, ctx.workspaceId, request))
    if (now.runId === undefined) throw refusal
    return now.runId
  }
  const begun = await begin(ctx, request, draft)
  ctx.wakeWorkers()
  return begun
}

/** Reads the draft and the run of the key, if there is one. */
async function findDraftAndRun(
  em: Em,
  workspaceId: string,
  request: ScheduleRequest,
): Promise<{ draft: CurrentDraft; runId?: string }> {
  const draft = await requireCurrentDraft(em, workspaceId, request.campaignId)
  const runId = await findByKey(em, workspaceId, request)
  return runId === undefined ? { draft } : { draft, runId }
}

/** Takes the key and inserts an invisible run with its snapshot job. Undefined when a duplicate request was faster. */
async function begin(ctx: Ctx, request: ScheduleRequest, draft: CurrentDraft): Promise<string | undefined> {
  const { workspaceId, caller, config } = ctx
  const runId = newId()
  try {
    return await ctx.tx(async (em) => {
      if (!(await takeKey(em, workspaceId, { ...request, resourceId: runId }))) return undefined
      // `infinity` keeps workers of an earlier release from deleting the run as abandoned.
      await kyselyOf(em, CampaignRun)
        .insertInto('campaign_runs')
        .values({
          workspace_id: workspaceId,
          id: runId,
          campaign_id: draft.id,
          snapshot_id: newId(),
          content_version_id: draft.content_version_id,
          sender_identity_id: draft.sender_identity_id,
          state: 'building',
          scheduled_for: request.scheduledFor,
          scheduled_by: caller.actor,
          correlation_id: caller.correlationId,
          trace: carrier(),
          building_seen_at: 'infinity',
        })
        .execute()
      await requestSnapshot(em, {
        workspaceId,
        runId,
        draftVersion: draft.version,
        batchSize: config.deliveryBatchSize,
        requestedAt: request.at,
      })
      return runId
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'campaign_runs_one_live')) throw error
    throw new Fault('failed_precondition', 'campaign_not_draft', 'This campaign is being scheduled by another request.')
  }
}

function answer(ctx: Ctx, runId: string): Promise<Reply<typeof ScheduleCampaignResponseSchema>> {
  return ctx.tx(async (em) => {
    const run = await requireRun(em, ctx.workspaceId, runId)
    return { campaignRun: runReply(run, await countSent(em, ctx.workspaceId, runId)) }
  })
}

const latest = Date.UTC(9999, 11, 31)

function parseTime(timestamp: Timestamp | undefined): Date {
  const time = timestamp === undefined ? undefined : timestampDate(timestamp)
  if (time && time.getTime() > 0 && time.getTime() < latest) return time
  throw new Fault('invalid_argument', 'scheduled_for', 'scheduled_for must be a date and time with a timezone.')
}
