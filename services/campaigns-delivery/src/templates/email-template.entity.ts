import type { MessageInitShape } from '@bufbuild/protobuf'
import { defineEntity, p } from '@mikro-orm/core'
import type { ListedEmailTemplateSchema } from '@lettergate/contracts/campaigns/v1/templates'
import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import { moment } from '@lettergate/values/moment'

export const EmailTemplate = defineEntity({
  name: 'EmailTemplate',
  tableName: 'email_templates',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    slug: p.text(),
    description: p.text().nullable(),
    latestVersion: p.integer().default(0),
    archivedAt: p.datetime().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

type EmailTemplateRow = Row<typeof EmailTemplate>

/** Selects the templates of this workspace, archived or not. */
export const selectEmailTemplates = (em: Em, workspaceId: string) =>
  kyselyOf(em, EmailTemplate).selectFrom('email_templates').selectAll().where('workspace_id', '=', workspaceId)

/** Returns the template of this workspace, archived or not. Fault `not_found` also for a template of another workspace. */
export async function requireEmailTemplate(em: Em, workspaceId: string, id: string): Promise<EmailTemplateRow> {
  const found = isUuid(id)
    ? await selectEmailTemplates(em, workspaceId).where('id', '=', id).executeTakeFirst()
    : undefined
  if (!found) throw noSuchTemplate()
  return found
}

/** The template as the console shows it. Versions have no gaps, so the latest number is the count. */
export const emailTemplateReply = (template: EmailTemplateRow): MessageInitShape<typeof ListedEmailTemplateSchema> => ({
  id: template.id,
  name: template.name,
  slug: template.slug,
  ...(template.description === null ? {} : { description: template.description }),
  archived: template.archived_at !== null,
  contentVersions: template.latest_version,
  createdBy: template.created_by,
  createdAt: moment(template.created_at),
})

const noSuchTemplate = () => new Fault('not_found', 'email_template', 'There is no such email template.')

/**
 * Returns the number of the next content version of this template, archived or not. The template stays locked until the
 * transaction ends, so that numbers have no gaps or duplicates. Fault `not_found` also for a template of another workspace.
 */
export async function nextContentVersion(em: Em, workspaceId: string, templateId: string): Promise<number> {
  const template = isUuid(templateId)
    ? await kyselyOf(em, EmailTemplate)
        .updateTable('email_templates')
        .set((eb) => ({ latest_version: eb('latest_version', '+', 1) }))
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', templateId)
        .returning('latest_version')
        .executeTakeFirst()
    : undefined
  if (template === undefined) throw noSuchTemplate()
  return template.latest_version
}
