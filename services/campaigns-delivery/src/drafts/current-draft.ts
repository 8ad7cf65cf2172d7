import type { Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import { selectCurrentDrafts } from './campaign-draft-version.entity.ts'

const selectForSchedule = (em: Em, workspaceId: string) =>
  selectCurrentDrafts(em, workspaceId)
    .innerJoin('content_versions as v', (join) =>
      join.onRef('v.workspace_id', '=', 'd.workspace_id').onRef('v.id', '=', 'd.content_version_id'),
    )
    .innerJoin('email_templates as t', (join) =>
      join.onRef('t.workspace_id', '=', 'v.workspace_id').onRef('t.id', '=', 'v.template_id'),
    )
    .select(['c.id', 'c.status', 'd.version', 'd.audience_ids', 'd.tag_filter'])
    .select(['d.sender_identity_id', 'd.content_version_id', 't.archived_at'])
    .select(['d.created_by as draft_created_by', 'd.created_at as draft_created_at'])

/** A campaign with its current draft version, as scheduling needs it. */
export type CurrentDraft = Awaited<ReturnType<typeof requireCurrentDraft>>

/** Returns the campaign of this workspace with that id. Fault `not_found` also for a campaign of another workspace. */
export async function requireCurrentDraft(em: Em, workspaceId: string, campaignId: string) {
  const found = isUuid(campaignId)
    ? await selectForSchedule(em, workspaceId).where('c.id', '=', campaignId).executeTakeFirst()
    : undefined
  if (!found) throw new Fault('not_found', 'campaign', 'There is no such campaign.')
  const { archived_at: archivedAt, ...draft } = found
  return { ...draft, template_is_archived: archivedAt !== null }
}

/** The draft changed since it was to be scheduled. */
export const campaignChanged = (): Fault =>
  new Fault(
    'failed_precondition',
    'campaign_changed',
    'The campaign changed while it was being scheduled. Look at it and schedule it again.',
  )
