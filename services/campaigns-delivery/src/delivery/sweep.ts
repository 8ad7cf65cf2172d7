import { execute, row, rows, sql, type Em } from '@lettergate/database'
import type { Item, OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { finishRun, isDelivered } from '../runs/finish-run.ts'
import { markUnknown } from './settle.ts'

/** A query that finds a row when a worker may have left something to clean up. */
export const sweptSigns = `select from campaign_runs where state in ('building', 'sending')
  union all select from hand_offs where state = 'claimed'`

/** Time that a worker has to store the answer, beyond the 2 s to start and the provider's timeout. */
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

async function markLostClaims(ctx: Ctx, each: OneByOne): Promise<void> {
  const staleMs = 2_000 + ctx.config.handOffTimeoutMs + graceMs
  const stale = await ctx.tx((em) =>
    rows<Item>(
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

async function deleteAbandonedRuns(ctx: Ctx, each: OneByOne): Promise<void> {
  const abandoned = await ctx.tx((em) =>
    rows<Item>(
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
  const found = await row(
    em,
    sql`select 1 from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} and ${isAbandoned} for update`,
  )
  if (!found) return
  await execute(em, sql`delete from idempotency_keys where workspace_id = ${workspaceId} and resource_id = ${runId}`)
  await execute(em, sql`delete from run_recipients where workspace_id = ${workspaceId} and run_id = ${runId}`)
  await execute(em, sql`delete from campaign_runs where workspace_id = ${workspaceId} and id = ${runId}`)
}

async function finishRuns(ctx: Ctx, each: OneByOne): Promise<void> {
  const finishable = await ctx.tx((em) =>
    rows<Item>(
      em,
      sql`select r.workspace_id, r.id from campaign_runs r where ${isDelivered} and r.id <> all(${each.postponed()}::uuid[])`,
    ),
  )
  await each.forEach(finishable, async ({ workspace_id, id }) => {
    await ctx.inWorkspace(workspace_id).tx((em) => finishRun(em, workspace_id, id))
  })
}
