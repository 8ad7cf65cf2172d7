import type { MessageInitShape } from '@bufbuild/protobuf'
import { defineEntity, p } from '@mikro-orm/core'
import type { CampaignSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import { kyselyOf, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import { ContentVersion } from '../content/content-version.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { EmailTemplate } from '../templates/email-template.entity.ts'
import { Campaign } from './campaign.entity.ts'
import type { TagFilter } from './tag-filter.ts'

export const CampaignDraftVersion = defineEntity({
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

/** Selects the campaigns c of a workspace with their current draft versions d. */
export const selectCurrentDrafts = (em: Em, workspaceId: string) =>
  kyselyOf(em, Campaign, CampaignDraftVersion, CampaignRun, ContentVersion, EmailTemplate)
    .selectFrom('campaigns as c')
    .innerJoin('campaign_draft_versions as d', (join) =>
      join
        .onRef('d.workspace_id', '=', 'c.workspace_id')
        .onRef('d.campaign_id', '=', 'c.id')
        .onRef('d.version', '=', 'c.current_version'),
    )
    .where('c.workspace_id', '=', workspaceId)
    .where('c.deleted_at', 'is', null)

/** The columns of a draft version d that replies show. */
export const draftColumns = [
  'd.id as draft_id',
  'd.version',
  'd.name',
  'd.audience_ids',
  'd.tag_filter',
  'd.sender_identity_id',
  'd.content_version_id',
  'd.notes',
  'd.created_by as draft_created_by',
  'd.created_at as draft_created_at',
] as const

/** Selects campaigns with their current draft versions, as replies show them. */
export const selectCampaigns = (em: Em, workspaceId: string) =>
  selectCurrentDrafts(em, workspaceId).select(['c.id', 'c.status', 'c.created_by', 'c.created_at']).select(draftColumns)

/** A campaign with its current draft version. */
export type CampaignRow = Awaited<ReturnType<typeof requireCampaign>>

/** Returns the campaign of this workspace with its current draft. Fault `not_found` also for a campaign of another workspace. */
export async function requireCampaign(em: Em, workspaceId: string, id: string) {
  const found = isUuid(id)
    ? await selectCampaigns(em, workspaceId).where('c.id', '=', id).executeTakeFirst()
    : undefined
  if (!found) throw new Fault('not_found', 'campaign', 'There is no such campaign.')
  return found
}

/** The campaign as the API shows it. `audience_ids` is authoritative; `audience_id` is only set for exactly one audience. */
export const campaignReply = (campaign: CampaignRow): MessageInitShape<typeof CampaignSchema> => ({
  id: campaign.id,
  status: campaign.status,
  currentVersion: campaign.version,
  draft: {
    id: campaign.draft_id,
    version: campaign.version,
    name: campaign.name,
    ...(campaign.audience_ids.length === 1 ? { audienceId: campaign.audience_ids[0] ?? '' } : {}),
    audienceIds: campaign.audience_ids,
    senderIdentityId: campaign.sender_identity_id,
    contentVersionId: campaign.content_version_id,
  },
})
