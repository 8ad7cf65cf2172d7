import { AlertRaisedSchema, RunFailedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, row, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { campaignStatusFor } from './run-states.ts'

/** Stores why a run that is being sent is held. Its batches wait until the run is released. */
export async function holdRun(em: Em, workspaceId: string, runId: string, by: string): Promise<void> {
  await execute(
    em,
    sql`update campaign_runs set held_by = ${by} where workspace_id = ${workspaceId} and id = ${runId} and state = 'sending' and held_by is distinct from ${by}`,
  )
}

/** Releases a held run and makes its open batches due again. */
export async function releaseRun(em: Em, workspaceId: string, runId: string): Promise<void> {
  const released = await execute(
    em,
    sql`update campaign_runs set held_by = null where workspace_id = ${workspaceId} and id = ${runId} and state = 'sending' and held_by is not null`,
  )
  if (released > 0)
    await execute(
      em,
      sql`update delivery_batches set published_at = null where workspace_id = ${workspaceId} and run_id = ${runId} and done_at is null and published_at is not null`,
    )
}

/** Fails a run that cannot be delivered any more and raises an alert. A job ends its pending recipients. */
export async function failRun(em: Em, workspaceId: string, runId: string, reason: string): Promise<void> {
  const failed = await row<{ campaign_id: string }>(
    em,
    sql`update campaign_runs set state = 'failed', failure_reason = ${reason}, held_by = null, has_leftovers = true
         where workspace_id = ${workspaceId} and id = ${runId} and state = 'sending' returning campaign_id`,
  )
  if (!failed) return
  await execute(
    em,
    sql`update campaigns set status = ${campaignStatusFor('failed')} where workspace_id = ${workspaceId} and id = ${failed.campaign_id}`,
  )
  await publish(em, RunFailedSchema, { runId, campaignId: failed.campaign_id, reason })
  await publish(em, AlertRaisedSchema, {
    code: 'run_failed',
    severity: 'critical',
    summary: 'A campaign run failed because something that it needs was deleted.',
    detail: { run_id: runId, reason },
  })
}
