import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  DetailedCampaignSchema,
  DetailedDraftSchema,
  DetailedRunSchema,
} from '@lettergate/contracts/campaigns/v1/drafts'
import { column, columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { CampaignRun, runColumns, runList, runReply } from '../runs/campaign-run.entity.ts'
import { countSent } from '../runs/run-recipient.entity.ts'
import { CampaignDraftVersion, draftColumns, type CampaignRow } from './campaign-draft-version.entity.ts'
import { moment } from '@lettergate/values/moment'

const shownMax = 100

type DraftRow = Omit<CampaignRow, 'id' | 'status' | 'created_by' | 'created_at'>

const detailedDraft = (draft: DraftRow): MessageInitShape<typeof DetailedDraftSchema> => ({
  id: draft.draft_id,
  version: draft.version,
  name: draft.name,
  ...(draft.audience_ids.length === 1 ? { audienceId: draft.audience_ids[0] ?? '' } : {}),
  audienceIds: draft.audience_ids,
  senderIdentityId: draft.sender_identity_id,
  contentVersionId: draft.content_version_id,
  ...(draft.tag_filter === null ? {} : { tagFilter: draft.tag_filter }),
  ...(draft.notes === null ? {} : { notes: draft.notes }),
  createdBy: draft.draft_created_by,
  createdAt: moment(draft.draft_created_at),
})

/** The campaign as the console shows it, with all fields of its current version. */
export const detailedCampaign = (campaign: CampaignRow): MessageInitShape<typeof DetailedCampaignSchema> => ({
  id: campaign.id,
  status: campaign.status,
  currentVersion: campaign.version,
  draft: detailedDraft(campaign),
  createdBy: campaign.created_by,
  createdAt: moment(campaign.created_at),
})

/** Returns the newest versions of a campaign, newest first. */
export async function detailedVersions(em: Em, workspaceId: string, campaignId: string) {
  const found = await kyselyOf(em, CampaignDraftVersion)
    .selectFrom('campaign_draft_versions as d')
    .select(draftColumns)
    .where('d.workspace_id', '=', workspaceId)
    .where('d.campaign_id', '=', campaignId)
    .orderBy('d.version', 'desc')
    .limit(shownMax)
    .execute()
  return found.map(detailedDraft)
}

// The folder of schedules imports this one, so the column of its table is declared here.
const selectRuns = statement('select-runs-of-campaign', {
  ...runColumns,
  ...columns(CampaignRun, 'failure_reason', 'scheduled_by', 'created_at'),
  draft_version: column.integer(),
})

/** Returns the newest runs of a campaign with their current counts, newest first. */
export async function detailedRuns(
  em: Em,
  workspaceId: string,
  campaignId: string,
): Promise<MessageInitShape<typeof DetailedRunSchema>[]> {
  const found = await selectRuns.rows(
    em,
    sql`select ${runList}, r.failure_reason, r.scheduled_by, r.created_at, s.draft_version from campaign_runs r
          join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
         where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.state <> 'building'
         order by r.id desc limit ${shownMax}`,
  )
  const runs: MessageInitShape<typeof DetailedRunSchema>[] = []
  for (const run of found) {
    runs.push({
      ...runReply(run, await countSent(em, workspaceId, run.id)),
      draftVersion: run.draft_version,
      ...(run.held_by === null || run.state !== 'sending' ? {} : { heldBy: run.held_by }),
      ...(run.failure_reason === null ? {} : { failureReason: run.failure_reason }),
      scheduledBy: run.scheduled_by,
      createdAt: moment(run.created_at),
      ...(run.started_at === null ? {} : { startedAt: moment(run.started_at) }),
      ...(run.completed_at === null ? {} : { completedAt: moment(run.completed_at) }),
    })
  }
  return runs
}
