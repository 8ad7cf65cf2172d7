import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isId } from '../domain/identifier.ts'

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

/**
 * The number of the next content version of this template, archived or not. The template stays locked until the transaction ends, so
 * that numbers have no gaps and no twins. A template of another workspace is not there: Fault `not_found`.
 */
export async function nextContentVersion(em: Em, workspaceId: string, templateId: string): Promise<number> {
  const template = isId(templateId)
    ? await row<{ latest_version: number }>(
        em,
        sql`update email_templates set latest_version = latest_version + 1
             where workspace_id = ${workspaceId} and id = ${templateId} returning latest_version`,
      )
    : undefined
  if (template === undefined) throw new Fault('not_found', 'email_template', 'There is no such email template.')
  return template.latest_version
}
