import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em } from '@lettergate/database'
import { isUuid } from '@lettergate/values/uuid'
import { confirmationToken } from '../html/tokens.ts'
import { EmailTemplate } from '../templates/email-template.entity.ts'
import type { StoredContent } from './compile.ts'
import type { ContentValidation } from './validate.ts'

export const ContentVersion = defineEntity({
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
  /** links to `{{ confirmation_url }}`, which has a value in confirmation emails only */
  isForConfirmations: boolean
}

/** Returns the state of a content version of this workspace, without its texts. Undefined when it does not exist. */
export async function findContentState(em: Em, workspaceId: string, id: string): Promise<ContentState | undefined> {
  if (!isUuid(id)) return undefined
  const found = await kyselyOf(em, ContentVersion, EmailTemplate)
    .selectFrom('content_versions as v')
    .innerJoin('email_templates as t', (join) =>
      join.onRef('t.workspace_id', '=', 'v.workspace_id').onRef('t.id', '=', 'v.template_id'),
    )
    .select((eb) => [
      eb.ref('v.validation', '->').key('valid').as('valid'),
      eb.ref('v.validation', '->').key('unsubscribePresent').as('unsubscribePresent'),
      eb.ref('v.validation', '->').key('tokens').as('tokens'),
      't.archived_at',
    ])
    .where('v.workspace_id', '=', workspaceId)
    .where('v.id', '=', id)
    .executeTakeFirst()
  if (!found) return undefined
  const { archived_at: archivedAt, tokens, ...state } = found
  return { ...state, templateIsArchived: archivedAt !== null, isForConfirmations: tokens.includes(confirmationToken) }
}

/**
 * Returns the texts of a content version of this workspace. Undefined when it does not exist. They never change, so callers
 * may cache results.
 */
export async function findStoredContent(em: Em, workspaceId: string, id: string): Promise<StoredContent | undefined> {
  if (!isUuid(id)) return undefined
  return kyselyOf(em, ContentVersion)
    .selectFrom('content_versions')
    .select([
      'subject',
      'preheader',
      'sanitized_html as sanitizedHtml',
      'plain_text as plainText',
      'personalization_defaults as personalizationDefaults',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
}
