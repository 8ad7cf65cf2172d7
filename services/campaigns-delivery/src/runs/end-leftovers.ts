import { columns, kyselyOf, sql, statement } from '@lettergate/database'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { CampaignRun } from './campaign-run.entity.ts'
import { DeliveryBatch } from './delivery-batch.entity.ts'
import { isPending } from './run-recipient.entity.ts'

const runsAtOnce = 20
const batchesAtOnce = 50

const selectWithLeftovers = statement('select-runs-with-leftovers', columns(CampaignRun, 'workspace_id', 'id'))

/**
 * Ends the pending recipients of runs that are over, so that every recipient has a final state: skipped if the run was
 * cancelled or unscheduled, failed if the run failed. The reason names the state of the run.
 */
export async function endLeftovers(ctx: Ctx, each: OneByOne): Promise<void> {
  const over = await ctx.tx((em) =>
    selectWithLeftovers.rows(
      em,
      sql`select workspace_id, id from campaign_runs
           where has_leftovers and id <> all(${each.postponed()}::uuid[]) order by id limit ${runsAtOnce}`,
    ),
  )
  await each.forEach(over, async ({ workspace_id: workspaceId, id }) => {
    const own = ctx.inWorkspace(workspaceId)
    while ((await endBatches(own, id)) === batchesAtOnce);
    await clearLeftovers(own, id)
  })
}

const endOpenBatches = statement('end-open-batches')

function endBatches(ctx: Ctx, runId: string): Promise<number> {
  const { workspaceId } = ctx
  return ctx.tx(
    (em) =>
      endOpenBatches.execute(
        em,
        sql`with open as (
              select b.workspace_id, b.run_id, b.batch, case when r.state = 'failed' then 'failed' else 'skipped' end as fact,
                     array[case when r.state = 'failed' then coalesce(r.failure_reason, 'run_failed') else 'run_' || r.state end] as reasons
                from delivery_batches b join campaign_runs r on r.workspace_id = b.workspace_id and r.id = b.run_id
               where b.workspace_id = ${workspaceId} and b.run_id = ${runId} and b.done_at is null and r.state in ('cancelled', 'unscheduled', 'failed')
               order by b.batch limit ${batchesAtOnce} for update of b skip locked),
            ended as (
              insert into message_facts (workspace_id, origin_id, message_id, fact, reasons)
              select r.workspace_id, r.run_id, r.id, open.fact, open.reasons
                from open join run_recipients r on r.workspace_id = open.workspace_id and r.run_id = open.run_id and r.batch = open.batch where ${isPending}
              on conflict (message_id) where fact in ('skipped', 'failed') do nothing)
            update delivery_batches b set done_at = now() from open where b.run_id = open.run_id and b.batch = open.batch`,
      ),
    { statementTimeoutMs: 60_000 },
  )
}

/** Clears the mark once the run has no open batch. Recipients that a late provider answer puts back end at once. */
async function clearLeftovers(ctx: Ctx, runId: string): Promise<void> {
  const { workspaceId } = ctx
  await ctx.tx((em) =>
    kyselyOf(em, CampaignRun, DeliveryBatch)
      .updateTable('campaign_runs as r')
      .set({ has_leftovers: false })
      .where('r.workspace_id', '=', workspaceId)
      .where('r.id', '=', runId)
      .where('r.has_leftovers', '=', true)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('delivery_batches as b')
              .select('b.batch')
              .whereRef('b.run_id', '=', 'r.id')
              .where('b.done_at', 'is', null),
          ),
        ),
      )
      .execute(),
  )
}
