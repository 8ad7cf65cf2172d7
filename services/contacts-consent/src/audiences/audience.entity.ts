import { defineEntity, p } from '@mikro-orm/core'
import { execute, row, sql, type Em } from '@lettergate/database'

export const Audience = defineEntity({
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

/**
 * The same, held until the transaction ends: it cannot be deleted meanwhile. Whoever writes what refers to an audience
 * takes this first; it keeps nobody else from doing so too.
 */
export const holdAudience = (em: Em, workspaceId: string, id: string) =>
  row<{ name: string; is_archived: boolean }>(
    em,
    sql`select name, archived_at is not null as is_archived from audiences
         where workspace_id = ${workspaceId} and id = ${id} for key share`,
  )

/** Answers whether this is what archived it. */
export const archiveOnce = async (em: Em, workspaceId: string, id: string): Promise<boolean> =>
  (await execute(
    em,
    sql`update audiences set archived_at = now() where workspace_id = ${workspaceId} and id = ${id} and archived_at is null`,
  )) === 1
