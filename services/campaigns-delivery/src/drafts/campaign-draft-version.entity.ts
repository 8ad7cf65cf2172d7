import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { defineEntity, p } from '@mikro-orm/core'
import type { CampaignSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import { row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { CampaignStatus } from '../runs/run-states.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { TagFilter } from './tag-filter.ts'

export const CampaignDraftVersions = defineEntity({
  name: 'CampaignDraftVersion',
  tableName: 'campaign_draft_versions',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    campaignId: p.uuid(),
    version: p.integer(),
    name: p.text(),
    audienceIds: p.array<string>().columnType('uuid[]'),
    tagFilter: p.json<TagFilter>().nullable(),
    senderIdentityId: p.uuid(),
    contentVersionId: p.uuid(),
    notes: p.text().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

/** A campaign with its current draft version. */
export interface CampaignRow {
  id: string
  status: CampaignStatus
  current_version: number
  draft_id: string
  name: string
  audience_ids: string[]
  sender_identity_id: string
  content_version_id: string
  tag_filter: JsonObject | null
  notes: string | null
  draft_created_by: string
  draft_created_at: string
  created_by: string
  created_at: string
}

/** Selects the campaigns c of a workspace with their current draft versions d. Conditions and an order may follow. */
export const campaignsShown = (workspaceId: string) => sql`
  select c.id, c.status, c.current_version, c.created_by, c.created_at, d.id as draft_id, d.name, d.audience_ids, d.sender_identity_id,
         d.content_version_id, d.tag_filter, d.notes, d.created_by as draft_created_by, d.created_at as draft_created_at
    from campaigns c
    join campaign_draft_versions d on d.workspace_id = c.workspace_id and d.campaign_id = c.id and d.version = c.current_version
   where c.workspace_id = ${workspaceId} and c.deleted_at is null`

/** Returns the campaign of this workspace with its current draft. Fault `not_found` also for a campaign of another workspace. */
export async function requireCampaign(em: Em, workspaceId: string, id: string): Promise<CampaignRow> {
  const found = isUuid(id)
    ? await row<CampaignRow>(em, sql`${campaignsShown(workspaceId)} and c.id = ${id}`)
    : undefined
  if (!found) throw new Fault('not_found', 'campaign', 'There is no such campaign.')
  return found
}

/** The campaign as the API shows it. `audience_ids` is authoritative; `audience_id` is only set for exactly one audience. */
export const campaignReply = (campaign: CampaignRow): MessageInitShape<typeof CampaignSchema> => ({
  id: campaign.id,
  status: campaign.status,
  currentVersion: campaign.current_version,
  draft: {
    id: campaign.draft_id,
    version: campaign.current_version,
    name: campaign.name,
    ...(campaign.audience_ids.length === 1 ? { audienceId: campaign.audience_ids[0] ?? '' } : {}),
    audienceIds: campaign.audience_ids,
    senderIdentityId: campaign.sender_identity_id,
    contentVersionId: campaign.content_version_id,
  },
})
