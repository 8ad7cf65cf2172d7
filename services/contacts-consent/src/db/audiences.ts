import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'

export const Audiences = defineEntity({
  name: 'Audience',
  tableName: 'audiences',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    slug: p.text(),
    purpose: p.text(),
    minimumIntervalSeconds: p.integer(),
    createdAt: p.datetime(),
    archivedAt: p.datetime().nullable(),
  },
})

/** One audience of this workspace, archived or not. */
export const findAudience = (em: Em, workspaceId: string, id: string) =>
  row<{ name: string; is_archived: boolean }>(
    em,
    sql`select name, archived_at is not null as is_archived from audiences where workspace_id = ${workspaceId} and id = ${id}`,
  )
