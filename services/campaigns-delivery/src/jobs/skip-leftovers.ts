import { execute, row, rows, sql } from '@lettergate/database'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'

const runsAtOnce = 20
const batchesAtOnce = 50

/**
 * Whoever still waits in a run that was cancelled or unscheduled is skipped with that as the reason, so that every recipient
 * ends in a named state. A batch that an answer of the provider gave back meanwhile is found again, until no answer is due.
 */
export async function skipLeftovers(ctx: Ctx, each: OneByOne): Promise<void> {
  const ended = await ctx.tx((em) =>
    rows<{ workspace_id: string; id: string }>(
      em,
      sql`select workspace_id, id from campaign_runs
           where has_leftovers and id <> all(${each.postponed()}::uuid[]) order by id limit ${runsAtOnce}`,
    ),
  )
  await each.forEach(ended, async ({ workspace_id: workspaceId, id }) => {
    const own = ctx.inWorkspace(workspaceId)
    while ((await skipBatches(own, id)) === batchesAtOnce);
    await forget(own, id)
  })
}

function skipBatches(ctx: Ctx, runId: string): Promise<number> {
  const { workspaceId } = ctx
  return ctx.tx(
    (em) =>
      execute(
        em,
        sql`with open as (
              select b.run_id, b.batch, array['run_' || r.state] as reasons
                from delivery_batches b join campaign_runs r on r.workspace_id = b.workspace_id and r.id = b.run_id
               where b.workspace_id = ${workspaceId} and b.run_id = ${runId} and b.done_at is null and r.state in ('cancelled', 'unscheduled')
               order by b.batch limit ${batchesAtOnce} for update of b skip locked),
            skipped as (
              update run_recipients r set state = 'skipped', reasons = open.reasons from open
               where r.workspace_id = ${workspaceId} and r.run_id = open.run_id and r.batch = open.batch and r.state = 'pending')
            update delivery_batches b set done_at = now() from open where b.run_id = open.run_id and b.batch = open.batch`,
      ),
    { statementTimeoutMs: 60_000 },
  )
}

/** Nothing of the run is open, and no call is under way or still asked about that could give anybody back. */
async function forget(ctx: Ctx, runId: string): Promise<void> {
  const { workspaceId } = ctx
  await ctx.tx((em) =>
    row(
      em,
      sql`update campaign_runs r set has_leftovers = false where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.has_leftovers
             and not exists (select from delivery_batches b where b.run_id = r.id and b.done_at is null)
             and not exists (select from hand_offs h where h.run_id = r.id and (h.state = 'claimed' or h.state = 'unknown' and h.next_lookup_at is not null))
          returning r.id`,
    ),
  )
}
