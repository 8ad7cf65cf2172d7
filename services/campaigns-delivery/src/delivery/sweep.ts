import { columns, sql, statement, type Em } from '@lettergate/database'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { IdempotencyKey } from '../idempotency/idempotency-key.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { finishRun, isDelivered } from '../runs/finish-run.ts'
import { RunRecipient } from '../runs/run-recipient.entity.ts'
import { HandOff } from './hand-off.entity.ts'
import { handOffWithinMs } from './hand-off.ts'
import { markUnknown } from './settle.ts'

/** A query that finds a row when a worker may have left something to clean up. */
export const sweptSigns = `select from campaign_runs where state in ('building', 'sending')
  union all select from hand_offs where state = 'claimed'`

/** Time that a worker has to store the answer, beyond the time to start and the provider's timeout. */
const graceMs = 5_000

/**
 * Cleans up after dead workers: their claims become unknown, never pending; runs that an earlier release left half built are
 * deleted; a run whose last batches ended at the same moment is completed. Safe with any number of workers.
 */
export async function sweep(ctx: Ctx, each: OneByOne): Promise<void> {
  await markLostClaims(ctx, each)
  await deleteAbandonedRuns(ctx, each)
  await finishRuns(ctx, each)
}

const claimsAtOnce = 500
const selectStale = statement('select-claims-of-lost-workers', columns(HandOff, 'workspace_id', 'id'))

async function markLostClaims(ctx: Ctx, each: OneByOne): Promise<void> {
  const staleMs = handOffWithinMs + ctx.config.handOffTimeoutMs + graceMs
  const stale = await ctx.tx((em) =>
    selectStale.rows(
      em,
      sql`select workspace_id, id from hand_offs
           where state = 'claimed' and claimed_at < now() - ${staleMs} * interval '1 ms' and id <> all(${each.postponed()}::uuid[])
           order by claimed_at limit ${claimsAtOnce}`,
    ),
  )
  await each.forEach(stale, async ({ workspace_id: workspaceId, id }) => {
    const own = ctx.inWorkspace(workspaceId)
    if (!(await own.tx((em) => markUnknown(em, workspaceId, id, 'worker_lost')))) return
    own.log.warn({ hand_off_id: id }, 'a claim of a lost worker is now unknown')
  })
}

/** Seconds without activity after which a run counts as abandoned. Does not apply to runs with a snapshot job. */
const abandonedAfterSeconds = 30
const isAbandoned = sql`state = 'building' and building_seen_at < now() - ${abandonedAfterSeconds} * interval '1 second'`
const selectAbandoned = statement('select-abandoned-runs', columns(CampaignRun, 'workspace_id', 'id'))
const lockAbandoned = statement('lock-abandoned-run', columns(CampaignRun, 'id'))

async function deleteAbandonedRuns(ctx: Ctx, each: OneByOne): Promise<void> {
  const abandoned = await ctx.tx((em) =>
    selectAbandoned.rows(
      em,
      sql`select workspace_id, id from campaign_runs where ${isAbandoned} and id <> all(${each.postponed()}::uuid[])`,
    ),
  )
  await each.forEach(abandoned, async ({ workspace_id, id }) => {
    await ctx.inWorkspace(workspace_id).tx((em) => deleteUnbuilt(em, workspace_id, id), { statementTimeoutMs: 60_000 })
  })
}

/** Deletes the run, its recipients and its idempotency key. */
async function deleteUnbuilt(em: Em, workspaceId: string, runId: string): Promise<void> {
  const found = await lockAbandoned.row(
    em,
    sql`select id from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} and ${isAbandoned} for update`,
  )
  if (!found) return
  await em.nativeDelete(IdempotencyKey, { workspaceId, resourceId: runId })
  await em.nativeDelete(RunRecipient, { workspaceId, runId })
  await em.nativeDelete(CampaignRun, { workspaceId, id: runId })
}

const selectFinishable = statement('select-finishable-runs', columns(CampaignRun, 'workspace_id', 'id'))

async function finishRuns(ctx: Ctx, each: OneByOne): Promise<void> {
  const finishable = await ctx.tx((em) =>
    selectFinishable.rows(
      em,
      sql`select r.workspace_id, r.id from campaign_runs r where ${isDelivered} and r.id <> all(${each.postponed()}::uuid[])`,
    ),
  )
  await each.forEach(finishable, async ({ workspace_id, id }) => {
    await ctx.inWorkspace(workspace_id).tx((em) => finishRun(em, workspace_id, id))
  })
}
