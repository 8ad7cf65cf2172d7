import { setTimeout as sleep } from 'node:timers/promises'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { sha256Of } from '@lettergate/canonical-json'
import type {
  ScheduleCampaignRequest,
  ScheduleCampaignResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { AuditRecordedSchema, RunScheduledSchema } from '@lettergate/contracts/events/v1/events'
import { execute, isUniqueViolation, newId, row, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault, ignoring } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { requireRun, runReply } from '../db/campaign-runs.ts'
import { countSent } from '../db/run-recipients.ts'
import { keyTaken, parseIdempotencyKey } from '../domain/schedule/idempotency.ts'
import { buildSnapshot, removeUnbuilt, type SnapshotCounts } from '../snapshot/build-snapshot.ts'
import { requireCurrentDraft, type CurrentDraft } from '../snapshot/current-draft.ts'
import { requireConditions } from '../snapshot/schedule-facts.ts'

interface Wish {
  /** when the request came; what it asked for is judged by that */
  at: Date
  campaignId: string
  scheduledFor: Date
  key: string
  fingerprint: string
}

const operation = 'schedule_campaign'
const twinPollMs = 100
const twinWaitMs = 60_000
/** for telling the caller, before they give up by themselves */
const answerMs = 500
const longestTimerMs = 2_147_483_647

/**
 * Freezes a draft and its audience into a run, once for each key: repeats and concurrent twins answer the same run. The run
 * is invisible while its recipients arrive and appears whole, or not at all. Whoever cannot wait for it is told to ask again.
 */
export async function scheduleCampaign(
  ctx: Ctx,
  req: ScheduleCampaignRequest,
): Promise<Reply<typeof ScheduleCampaignResponseSchema>> {
  const scheduledFor = parseTime(req.scheduledFor)
  const key = parseIdempotencyKey(req.idempotencyKey)
  const at = ctx.now()
  const wish: Wish = {
    at,
    campaignId: req.campaignId,
    scheduledFor,
    key,
    fingerprint: sha256Of({ campaign_id: req.campaignId, scheduled_for: scheduledFor.toISOString() }),
  }
  const waitUntil = Math.min(ctx.deadline, Date.now() + twinWaitMs)
  for (;;) {
    const known = await ctx.tx((em) => look(em, ctx.workspaceId, wish))
    if (known.runId === undefined) {
      // Known without asking anybody; everything else is asked once the key is taken, so that twins wait instead of asking too.
      if (known.draft.status !== 'draft' || scheduledFor <= at) await requireConditions(ctx, known.draft, wish)
      const runId = await begin(ctx, wish, known.draft)
      if (runId !== undefined) {
        await whileCallerWaits(ctx, build(ctx.withoutDeadline(), { wish, draft: known.draft, runId }))
        return answer(ctx, runId)
      }
    } else if (!known.isBuilding) return answer(ctx, known.runId)
    else await removeUnbuilt(ctx, known.runId, { onlyStale: true })
    if (Date.now() + twinPollMs > waitUntil) throw stillScheduling()
    await sleep(twinPollMs)
  }
}

const stillScheduling = () =>
  new Fault(
    'unavailable',
    'still_scheduling',
    'This request is still being carried out and may yet schedule the campaign. Send it again with the same key in a moment.',
  )

/**
 * Waits for a run for as long as its caller does. The run is built on without them, so that a repeat of the request finds
 * it: an audience that takes longer than any caller waits could never be scheduled otherwise.
 */
async function whileCallerWaits(ctx: Ctx, building: Promise<void>): Promise<void> {
  const answered = new AbortController()
  const leftMs = Math.min(ctx.deadline - Date.now() - answerMs, longestTimerMs)
  const patience = sleep(Math.max(leftMs, 0), 'gone' as const, { signal: answered.signal, ref: false })
  patience.catch((error: unknown) => ignoring(error, 'nobody has to be told any more'))
  try {
    if ((await Promise.race([building, patience])) !== 'gone') return
  } finally {
    answered.abort()
  }
  building.catch((error: unknown) => ctx.log.warn({ err: error }, 'a run could not be built after its caller had gone'))
  throw stillScheduling()
}

/** What a key stands for so far, if anything; the campaign must exist in any case. */
async function look(
  em: Em,
  workspaceId: string,
  wish: Wish,
): Promise<{ draft: CurrentDraft; runId?: string; isBuilding?: boolean }> {
  const draft = await requireCurrentDraft(em, workspaceId, wish.campaignId)
  const known = await row<{ fingerprint: string; resource_id: string; state: string }>(
    em,
    sql`select k.fingerprint, k.resource_id, r.state from idempotency_keys k join campaign_runs r on r.workspace_id = k.workspace_id and r.id = k.resource_id
         where k.workspace_id = ${workspaceId} and k.operation = ${operation} and k.key = ${wish.key}`,
  )
  if (!known) return { draft }
  if (known.fingerprint !== wish.fingerprint) throw keyTaken()
  return { draft, runId: known.resource_id, isBuilding: known.state === 'building' }
}

/** Takes the key and the campaign for a new run that nobody sees yet. Answers undefined when a twin was faster. */
async function begin(ctx: Ctx, wish: Wish, draft: CurrentDraft): Promise<string | undefined> {
  const { workspaceId, caller } = ctx
  const runId = newId()
  try {
    return await ctx.tx(async (em) => {
      const taken = await execute(
        em,
        sql`insert into idempotency_keys (workspace_id, operation, key, fingerprint, resource_id)
            values (${workspaceId}, ${operation}, ${wish.key}, ${wish.fingerprint}, ${runId}) on conflict do nothing`,
      )
      if (taken === 0) return undefined
      await execute(
        em,
        sql`insert into campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, scheduled_by, correlation_id, trace)
            values (${workspaceId}, ${runId}, ${draft.id}, ${newId()}, ${draft.content_version_id}, ${draft.sender_identity_id}, 'building', ${wish.scheduledFor},
                    ${caller.actor}, ${caller.correlationId}, ${JSON.stringify(carrier())}::jsonb)`,
      )
      return runId
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'campaign_runs_one_live')) throw error
    throw new Fault('failed_precondition', 'campaign_not_draft', 'This campaign is being scheduled by another request.')
  }
}

async function build(ctx: Ctx, making: { wish: Wish; draft: CurrentDraft; runId: string }): Promise<void> {
  try {
    await requireConditions(ctx, making.draft, making.wish)
    const counts = await buildSnapshot(ctx, making.runId, making.draft)
    await ctx.tx((em) => appear(em, ctx, { ...making, counts }))
  } catch (error) {
    await removeUnbuilt(ctx, making.runId, { onlyStale: false }).catch((again: unknown) =>
      ignoring(again, 'the sweeper removes abandoned runs'),
    )
    throw error
  }
}

/** The moment at which the run exists: snapshot, batches, campaign and announcement in one transaction. */
async function appear(
  em: Em,
  ctx: Ctx,
  made: { wish: Wish; draft: CurrentDraft; runId: string; counts: SnapshotCounts },
): Promise<void> {
  const { workspaceId } = ctx
  const { draft, runId, counts } = made
  const exclusions = JSON.stringify(counts.exclusionCounts)
  const frozen = await execute(
    em,
    sql`update campaigns set status = 'scheduled' where workspace_id = ${workspaceId} and id = ${draft.id} and status = 'draft' and deleted_at is null and current_version = ${draft.version}`,
  )
  if (frozen === 0)
    throw new Fault(
      'failed_precondition',
      'campaign_changed',
      'The campaign changed while it was being scheduled. Look at it and schedule it again.',
    )
  const run = await row<{ snapshot_id: string }>(
    em,
    sql`update campaign_runs set state = 'scheduled', included_count = ${counts.included}, excluded_count = ${counts.excluded}, exclusion_counts = ${exclusions}::jsonb
         where workspace_id = ${workspaceId} and id = ${runId} and state = 'building' returning snapshot_id`,
  )
  if (!run)
    throw new Fault(
      'unavailable',
      'snapshot_abandoned',
      'Scheduling took too long and was given up; nothing was scheduled. Send the request again.',
    )
  await execute(
    em,
    sql`insert into snapshots (workspace_id, id, run_id, campaign_id, draft_version, audience_ids, included_count, excluded_count, exclusion_counts)
        values (${workspaceId}, ${run.snapshot_id}, ${runId}, ${draft.id}, ${draft.version}, ${draft.audience_ids}::uuid[], ${counts.included}, ${counts.excluded}, ${exclusions}::jsonb)`,
  )
  await execute(
    em,
    sql`insert into delivery_batches (workspace_id, run_id, batch) select ${workspaceId}::uuid, ${runId}::uuid, n from generate_series(0, ${counts.batches}::integer - 1) as n`,
  )
  await publish(em, RunScheduledSchema, { runId, campaignId: draft.id })
  await publish(em, AuditRecordedSchema, {
    action: 'campaign_scheduled',
    subjectType: 'campaign_run',
    subjectId: runId,
    actor: ctx.caller.actor,
    detail: {
      campaign_id: draft.id,
      scheduled_for: made.wish.scheduledFor.toISOString(),
      included: counts.included,
      excluded: counts.excluded,
    },
  })
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
