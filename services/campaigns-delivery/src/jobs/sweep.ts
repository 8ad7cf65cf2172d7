import { rows, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { acceptProven, finishRun } from '../delivery/settle.ts'
import { lookupMinutes } from '../domain/delivery/backoff.ts'
import { abandonedAfterSeconds, removeUnbuilt } from '../snapshot/build-snapshot.ts'

/** Beyond the 2 s to begin and the provider's time to answer, a worker has this long to write the answer down. */
const graceMs = 5_000

/**
 * Finds what a dead worker left: claims become unknown, never pending; runs that nobody builds any more go; a run whose last
 * batches ended at the same moment is completed. Safe from any number of workers.
 */
export async function sweep(ctx: Ctx): Promise<void> {
  await disownClaims(ctx)
  await removeAbandoned(ctx)
  await finishRuns(ctx)
}

async function disownClaims(ctx: Ctx): Promise<void> {
  const staleMs = 2_000 + ctx.config.handOffTimeoutMs + graceMs
  const stale = await ctx.tx((em) =>
    rows<{ workspace_id: string; id: string }>(
      em,
      sql`update hand_offs set state = 'unknown', reason = 'worker_lost', next_lookup_at = claimed_at + ${lookupMinutes[0]} * interval '1 minute'
           where state = 'claimed' and claimed_at < now() - ${staleMs} * interval '1 ms' returning workspace_id, id`,
    ),
  )
  for (const [workspaceId, handOffs] of Map.groupBy(stale, ({ workspace_id }) => workspace_id)) {
    ctx.log.warn({ workspace_id: workspaceId, hand_offs: handOffs.length }, 'claims without a worker are unknown now')
    await ctx.inWorkspace(workspaceId).tx((em) =>
      acceptProven(
        em,
        workspaceId,
        handOffs.map(({ id }) => id),
      ),
    )
  }
}

async function removeAbandoned(ctx: Ctx): Promise<void> {
  const abandoned = await ctx.tx((em) =>
    rows<{ workspace_id: string; id: string }>(
      em,
      sql`select workspace_id, id from campaign_runs where state = 'building' and building_seen_at < now() - ${abandonedAfterSeconds} * interval '1 second'`,
    ),
  )
  for (const { workspace_id, id } of abandoned)
    await removeUnbuilt(ctx.inWorkspace(workspace_id), id, { onlyStale: true })
}

async function finishRuns(ctx: Ctx): Promise<void> {
  const finishable = await ctx.tx((em) =>
    rows<{ workspace_id: string; id: string }>(
      em,
      sql`select r.workspace_id, r.id from campaign_runs r
           where r.state = 'sending' and not exists (select 1 from delivery_batches b where b.run_id = r.id and b.done_at is null)
             and not exists (select 1 from hand_offs h where h.run_id = r.id and h.state = 'claimed')`,
    ),
  )
  for (const { workspace_id, id } of finishable)
    await ctx.inWorkspace(workspace_id).tx((em) => finishRun(em, workspace_id, id))
}
