import { kyselyOf, newId, sql } from '@lettergate/database'
import type { StoredContent } from '../content/compile.ts'
import { Campaign } from '../drafts/campaign.entity.ts'
import type { CurrentDraft } from '../drafts/current-draft.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { SnapshotJob, type LeasedSnapshotJob } from '../schedule/snapshot-job.entity.ts'
import { insertContent } from './rehearsed-content.ts'
import type { RehearsedWorker } from './rehearsed-worker.ts'

/** What the rehearsed run is made of. */
export interface RunParts {
  worker: RehearsedWorker
  content: StoredContent
  audienceId: string
  batchSize: number
}

/** The id of the rehearsal is the workspace of its rows and the id of its run, so that all rows are found by it. */
export async function insertRun({
  worker: { ctx },
  content,
  audienceId,
  batchSize,
}: RunParts): Promise<[LeasedSnapshotJob, CurrentDraft]> {
  const { workspaceId, caller } = ctx
  const [campaignId, snapshotId, senderIdentityId, leaseId] = [newId(), newId(), newId(), newId()]
  const at = ctx.now()
  const contentVersionId = await ctx.tx(async (em) => {
    const version = await insertContent(em, ctx, content)
    await em.insert(Campaign, { workspaceId, id: campaignId, currentVersion: 1, createdBy: caller.actor })
    await kyselyOf(em, CampaignRun)
      .insertInto('campaign_runs')
      .values({
        workspace_id: workspaceId,
        id: workspaceId,
        campaign_id: campaignId,
        snapshot_id: snapshotId,
        content_version_id: version,
        sender_identity_id: senderIdentityId,
        state: 'building',
        scheduled_for: sql<string>`now()`,
        scheduled_by: caller.actor,
        correlation_id: caller.correlationId,
        building_seen_at: 'infinity',
      })
      .execute()
    await em.insert(SnapshotJob, {
      workspaceId,
      runId: workspaceId,
      draftVersion: 1,
      batchSize,
      requestedAt: at,
      leaseId,
    })
    return version
  })
  const job = {
    workspace_id: workspaceId,
    run_id: workspaceId,
    draft_version: 1,
    batch_size: batchSize,
    requested_at: at.toISOString(),
    attempts: 1,
    lease_id: leaseId,
    campaign_id: campaignId,
    scheduled_for: at.toISOString(),
    scheduled_by: caller.actor,
    correlation_id: caller.correlationId,
    trace: {},
  }
  const draft: CurrentDraft = {
    id: campaignId,
    status: 'draft',
    version: 1,
    audience_ids: [audienceId],
    tag_filter: null,
    sender_identity_id: senderIdentityId,
    content_version_id: contentVersionId,
    template_is_archived: false,
    draft_created_by: caller.actor,
    draft_created_at: at.toISOString(),
  }
  return [job, draft]
}
