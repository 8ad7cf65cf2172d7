import { RunCompletedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, prepared, row, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { campaignStatusFor } from './run-states.ts'

/** True if run r has no open batch and no call under way. Unknown hand-offs do not keep a run open. */
export const isDelivered = sql`r.state = 'sending'
  and not exists (select from delivery_batches b where b.run_id = r.id and b.done_at is null)
  and not exists (select from hand_offs h where h.origin_id = r.id and h.state = 'claimed')`

/** Completes a run without pending recipients and calls under way. Returns whether it did. */
export async function finishRun(em: Em, workspaceId: string, runId: string): Promise<boolean> {
  const delivered = sql`from campaign_runs r where r.workspace_id = ${workspaceId} and r.id = ${runId} and ${isDelivered}`
  if (!(await row(em, prepared(sql`select 1 as is_delivered ${delivered}`)))) return false
  // This must be a separate statement after the lock: a concurrent put-back is either visible here, or finds the run
  // completed.
  await row(em, sql`select 1 from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} for update`)
  const finished = await row<{ campaign_id: string }>(
    em,
    sql`update campaign_runs set state = 'completed', completed_at = clock_timestamp(), held_by = null
         where workspace_id = ${workspaceId} and id = ${runId} and exists (select ${delivered}) returning campaign_id`,
  )
  if (!finished) return false
  await execute(
    em,
    sql`update campaigns set status = ${campaignStatusFor('completed')} where workspace_id = ${workspaceId} and id = ${finished.campaign_id}`,
  )
  await publish(em, RunCompletedSchema, { runId, campaignId: finished.campaign_id })
  return true
}
