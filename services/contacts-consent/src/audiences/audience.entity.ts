import { defineEntity, p, sql } from '@mikro-orm/core'
import { kyselyOf, type Em } from '@lettergate/database'

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
    createdAt: p.datetime().defaultRaw('now()'),
    archivedAt: p.datetime().nullable(),
  },
})

const selectAudience = (em: Em, workspaceId: string, id: string) =>
  kyselyOf(em, Audience)
    .selectFrom('audiences')
    .select(['name', 'archived_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)

/** One audience of this workspace, archived or not. */
export const findAudience = (em: Em, workspaceId: string, id: string) =>
  selectAudience(em, workspaceId, id).executeTakeFirst()

/**
 * The same, locked against deletion until the transaction ends. A writer of rows that refer to an audience calls this first. The
 * lock is shared.
 */
export const holdAudience = (em: Em, workspaceId: string, id: string) =>
  selectAudience(em, workspaceId, id).forKeyShare().executeTakeFirst()

/** Several in one statement, held in the same way. */
export const holdAudiences = (em: Em, workspaceId: string, ids: readonly string[]) =>
  kyselyOf(em, Audience)
    .selectFrom('audiences')
    .select(['id', 'archived_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .orderBy('id')
    .forKeyShare()
    .execute()

/** Answers whether this call archived it. */
export async function archiveOnce(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const archived = await em.nativeUpdate(Audience, { workspaceId, id, archivedAt: null }, { archivedAt: sql.now() })
  return archived === 1
}
