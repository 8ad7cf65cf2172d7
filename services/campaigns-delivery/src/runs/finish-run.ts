import { RunCompletedSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, kyselyOf, prepared, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { CampaignRun } from './campaign-run.entity.ts'
import { setCampaignStatus } from './set-campaign-status.ts'

/** True if every batch of run r was decided. Calls may be under way. */
const isDecided = sql`r.state = 'sending'
  and not exists (select from delivery_batches b where b.run_id = r.id and b.done_at is null)`

/** True if run r has no open batch and no call under way. Unknown hand-offs do not keep a run open. */
export const isDelivered = sql`${isDecided}
  and not exists (select from hand_offs h where h.origin_id = r.id and h.state = 'claimed')`

const selectDecided = statement('select-decided-run', { is_decided: column.integer() })
const complete = statement('complete-delivered-run', columns(CampaignRun, 'campaign_id'))

/** Completes a run without pending recipients and calls under way. Returns whether it did. */
export async function finishRun(em: Em, workspaceId: string, runId: string): Promise<boolean> {
  const run = sql`from campaign_runs r where r.workspace_id = ${workspaceId} and r.id = ${runId}`
  if (!(await selectDecided.row(em, prepared(sql`select 1 as is_decided ${run} and ${isDecided}`)))) return false
  // The last hand-offs of a run wait for each other here. The statement after the lock sees what the other transactions
  // stored: of two that settle at the same moment, the second completes the run, and a concurrent put-back is either
  // visible, or finds the run completed.
  await kyselyOf(em, CampaignRun)
    .selectFrom('campaign_runs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .forUpdate()
    .execute()
  const finished = await complete.row(
    em,
    sql`update campaign_runs set state = 'completed', completed_at = clock_timestamp(), held_by = null
         where workspace_id = ${workspaceId} and id = ${runId} and exists (select ${run} and ${isDelivered}) returning campaign_id`,
  )
  if (!finished) return false
  await setCampaignStatus(em, workspaceId, finished.campaign_id, 'completed')
  await publish(em, RunCompletedSchema, { runId, campaignId: finished.campaign_id })
  return true
}
