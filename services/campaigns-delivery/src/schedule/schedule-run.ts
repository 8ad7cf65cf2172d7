import { AuditRecordedSchema, RunScheduledSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { eraseLateRecipients } from '../contacts/erased-contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import { campaignChanged, type CurrentDraft } from '../drafts/current-draft.ts'
import { Campaign } from '../drafts/campaign.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { insertBatches } from '../runs/delivery-batch.entity.ts'
import type { SnapshotCounts } from './build-snapshot.ts'
import { endLease, type LeasedSnapshotJob } from './snapshot-job.entity.ts'
import { insertSnapshot } from './snapshot.entity.ts'

/** Makes the run visible in one transaction: snapshot, batches, campaign status, events, and the end of the job. */
export async function scheduleRun(
  em: Em,
  ctx: Ctx,
  built: { job: LeasedSnapshotJob; draft: CurrentDraft; counts: SnapshotCounts },
): Promise<void> {
  const { workspaceId } = ctx
  const { job, draft, counts } = built
  const { run_id: runId } = job
  await endLease(em, job)
  const frozen = await em.nativeUpdate(
    Campaign,
    { workspaceId, id: draft.id, status: 'draft', deletedAt: null, currentVersion: draft.version },
    { status: 'scheduled' },
  )
  if (frozen === 0) throw campaignChanged()
  const run = await kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({
      state: 'scheduled',
      included_count: counts.included,
      excluded_count: counts.excluded,
      exclusion_counts: counts.exclusionCounts,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('state', '=', 'building')
    .returning('snapshot_id')
    .executeTakeFirst()
  if (!run) throw new Error(`the run ${runId} is not being built, though it has a snapshot job`)
  await eraseLateRecipients(em, workspaceId, runId)
  await insertSnapshot(em, {
    workspaceId,
    run: { id: runId, campaignId: draft.id, snapshotId: run.snapshot_id },
    draftVersion: draft.version,
    audienceIds: draft.audience_ids,
    counts,
  })
  await insertBatches(em, workspaceId, runId, counts.batches)
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
