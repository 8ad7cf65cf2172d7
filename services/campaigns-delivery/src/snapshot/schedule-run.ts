import { AuditRecordedSchema, RunScheduledSchema } from '@lettergate/contracts/events/v1/events'
import { execute, row, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { eraseLateRecipients } from '../db/erased-contacts.ts'
import { endLease, type SnapshotJob } from '../db/snapshot-jobs.ts'
import type { SnapshotCounts } from './build-snapshot.ts'
import { campaignChanged, type CurrentDraft } from './current-draft.ts'

/** The moment at which the run exists: snapshot, batches, campaign and announcement in one transaction, with the end of the job. */
export async function scheduleRun(
  em: Em,
  ctx: Ctx,
  built: { job: SnapshotJob; draft: CurrentDraft; counts: SnapshotCounts },
): Promise<void> {
  const { workspaceId } = ctx
  const { job, draft, counts } = built
  const { run_id: runId } = job
  const exclusions = JSON.stringify(counts.exclusionCounts)
  await endLease(em, job)
  const frozen = await execute(
    em,
    sql`update campaigns set status = 'scheduled' where workspace_id = ${workspaceId} and id = ${draft.id} and status = 'draft' and deleted_at is null and current_version = ${draft.version}`,
  )
  if (frozen === 0) throw campaignChanged()
  const run = await row<{ snapshot_id: string }>(
    em,
    sql`update campaign_runs set state = 'scheduled', included_count = ${counts.included}, excluded_count = ${counts.excluded}, exclusion_counts = ${exclusions}::jsonb
         where workspace_id = ${workspaceId} and id = ${runId} and state = 'building' returning snapshot_id`,
  )
  if (!run) throw new Error(`the run ${runId} is not being built, though it has a snapshot job`)
  await eraseLateRecipients(em, workspaceId, runId)
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
      scheduled_for: new Date(job.scheduled_for).toISOString(),
      included: counts.included,
      excluded: counts.excluded,
    },
  })
}
