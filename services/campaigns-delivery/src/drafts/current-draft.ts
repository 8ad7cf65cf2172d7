import { row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { TagFilter } from './tag-filter.ts'

/** A campaign with its current draft version, as scheduling needs it. */
export interface CurrentDraft {
  id: string
  status: string
  version: number
  audience_ids: string[]
  tag_filter: TagFilter | null
  sender_identity_id: string
  content_version_id: string
  template_is_archived: boolean
}

/** Returns the campaign of this workspace with that id. Fault `not_found` also for a campaign of another workspace. */
export async function requireCurrentDraft(em: Em, workspaceId: string, campaignId: string): Promise<CurrentDraft> {
  const found = isUuid(campaignId)
    ? await row<CurrentDraft>(
        em,
        sql`select c.id, c.status, d.version, d.audience_ids, d.tag_filter, d.sender_identity_id, d.content_version_id, t.archived_at is not null as template_is_archived
              from campaigns c
              join campaign_draft_versions d on d.workspace_id = c.workspace_id and d.campaign_id = c.id and d.version = c.current_version
              join content_versions v on v.workspace_id = d.workspace_id and v.id = d.content_version_id
              join email_templates t on t.workspace_id = v.workspace_id and t.id = v.template_id
             where c.workspace_id = ${workspaceId} and c.id = ${campaignId} and c.deleted_at is null`,
      )
    : undefined
  if (!found) throw new Fault('not_found', 'campaign', 'There is no such campaign.')
  return found
}

/** The draft changed since it was to be scheduled. */
export const campaignChanged = (): Fault =>
  new Fault(
    'failed_precondition',
    'campaign_changed',
    'The campaign changed while it was being scheduled. Look at it and schedule it again.',
  )
