import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import type {
  DetailedCampaignSchema,
  DetailedDraftSchema,
  DetailedRunSchema,
} from '@lettergate/contracts/campaigns/v1/drafts'
import { rows, sql, type Em } from '@lettergate/database'
import { resentByRunId, runReply, type RunRow } from '../runs/campaign-run.entity.ts'
import { countSent } from '../runs/run-recipient.entity.ts'
import type { CampaignRow } from './campaign-draft-version.entity.ts'
import { moment } from '@lettergate/values/moment'

const shownMax = 100

interface DraftRow {
  draft_id: string
  version: number
  name: string
  audience_ids: string[]
  tag_filter: JsonObject | null
  sender_identity_id: string
  content_version_id: string
  notes: string | null
  draft_created_by: string
  draft_created_at: string
}

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
  currentVersion: campaign.current_version,
  draft: detailedDraft({ ...campaign, version: campaign.current_version }),
  createdBy: campaign.created_by,
  createdAt: moment(campaign.created_at),
})

/** Returns the newest versions of a campaign, newest first. */
export async function detailedVersions(em: Em, workspaceId: string, campaignId: string) {
  const found = await rows<DraftRow>(
    em,
    sql`select id as draft_id, version, name, audience_ids, tag_filter, sender_identity_id, content_version_id, notes,
               created_by as draft_created_by, created_at as draft_created_at
          from campaign_draft_versions where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
         order by version desc limit ${shownMax}`,
  )
  return found.map(detailedDraft)
}

interface DetailedRunRow extends RunRow {
  draft_version: number
  failure_reason: string | null
  scheduled_by: string
  created_at: string
}

/** Returns the newest runs of a campaign with their current counts, newest first. */
export async function detailedRuns(
  em: Em,
  workspaceId: string,
  campaignId: string,
): Promise<MessageInitShape<typeof DetailedRunSchema>[]> {
  const found = await rows<DetailedRunRow>(
    em,
    sql`select r.*, s.draft_version, ${resentByRunId} from campaign_runs r
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
