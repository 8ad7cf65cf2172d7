import { AlertRaisedSchema, RunFailedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, row, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { campaignStatusFor } from './run-states.ts'

/** Notes what holds a run that is being sent. Its batches wait until somebody releases it. */
export async function holdRun(em: Em, workspaceId: string, runId: string, by: string): Promise<void> {
  await execute(
    em,
    sql`update campaign_runs set held_by = ${by} where workspace_id = ${workspaceId} and id = ${runId} and state = 'sending' and held_by is distinct from ${by}`,
  )
}

/** What held a run is in order again: its open batches are published as if they never had been. */
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

/** Nothing of this run can be delivered any more: a job ends those who wait, and a person is told. */
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
    summary: 'A campaign run failed because what it needs is gone.',
    detail: { run_id: runId, reason },
  })
}
