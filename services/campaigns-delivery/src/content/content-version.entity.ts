import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'
import { isUuid } from '@lettergate/values/uuid'
import type { StoredContent } from './compile.ts'
import type { ContentValidation } from './validate.ts'

export const ContentVersions = defineEntity({
  name: 'ContentVersion',
  tableName: 'content_versions',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    templateId: p.uuid(),
    version: p.integer(),
    subject: p.text(),
    preheader: p.text().nullable(),
    sanitizedHtml: p.text(),
    plainText: p.text(),
    personalizationDefaults: p.json<Record<string, string>>(),
    validation: p.json<ContentValidation>(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

/** The fields of a content version that drafts and schedules need. */
export interface ContentState {
  /** false when nothing visible is left */
  valid: boolean
  unsubscribePresent: boolean
  templateIsArchived: boolean
}

/** Returns the state of a content version of this workspace, without its texts. Undefined when it does not exist. */
export async function findContentState(em: Em, workspaceId: string, id: string): Promise<ContentState | undefined> {
  if (!isUuid(id)) return undefined
  const found = await row<{ valid: boolean; unsubscribe_present: boolean; is_archived: boolean }>(
    em,
    sql`select (v.validation->>'valid')::boolean as valid, (v.validation->>'unsubscribePresent')::boolean as unsubscribe_present,
               t.archived_at is not null as is_archived
          from content_versions v join email_templates t on t.workspace_id = v.workspace_id and t.id = v.template_id
         where v.workspace_id = ${workspaceId} and v.id = ${id}`,
  )
  return (
    found && {
      valid: found.valid,
      unsubscribePresent: found.unsubscribe_present,
      templateIsArchived: found.is_archived,
    }
  )
}

/**
 * Returns the texts of a content version of this workspace. Undefined when it does not exist. They never change, so callers
 * may cache results.
 */
export async function findStoredContent(em: Em, workspaceId: string, id: string): Promise<StoredContent | undefined> {
  if (!isUuid(id)) return undefined
  const found = await row<{
    subject: string
    preheader: string | null
    sanitized_html: string
    plain_text: string
    personalization_defaults: Record<string, string>
  }>(
    em,
    sql`select subject, preheader, sanitized_html, plain_text, personalization_defaults
          from content_versions where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return (
    found && {
      subject: found.subject,
      preheader: found.preheader,
      sanitizedHtml: found.sanitized_html,
      plainText: found.plain_text,
      personalizationDefaults: found.personalization_defaults,
    }
  )
}
