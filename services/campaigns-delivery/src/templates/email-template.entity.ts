import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { defineEntity, p } from '@mikro-orm/core'
import type { ListedEmailTemplateSchema } from '@lettergate/contracts/campaigns/v1/templates'
import { row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'

export const EmailTemplates = defineEntity({
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

/** A template in lists. */
export interface EmailTemplateRow {
  id: string
  name: string
  slug: string
  description: string | null
  latest_version: number
  archived_at: string | null
  created_by: string
  created_at: string
}

export const emailTemplateColumns = sql`id, name, slug, description, latest_version, archived_at, created_by, created_at`

/** Returns the template of this workspace, archived or not. Fault `not_found` also for a template of another workspace. */
export async function requireEmailTemplate(em: Em, workspaceId: string, id: string): Promise<EmailTemplateRow> {
  const found = isUuid(id)
    ? await row<EmailTemplateRow>(
        em,
        sql`select ${emailTemplateColumns} from email_templates where workspace_id = ${workspaceId} and id = ${id}`,
      )
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
  createdAt: timestampFromDate(new Date(template.created_at)),
})

const noSuchTemplate = () => new Fault('not_found', 'email_template', 'There is no such email template.')

/**
 * Returns the number of the next content version of this template, archived or not. The template stays locked until the
 * transaction ends, so that numbers have no gaps or duplicates. Fault `not_found` also for a template of another workspace.
 */
export async function nextContentVersion(em: Em, workspaceId: string, templateId: string): Promise<number> {
  const template = isUuid(templateId)
    ? await row<{ latest_version: number }>(
        em,
        sql`update email_templates set latest_version = latest_version + 1
             where workspace_id = ${workspaceId} and id = ${templateId} returning latest_version`,
      )
    : undefined
  if (template === undefined) throw noSuchTemplate()
  return template.latest_version
}
