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
 * The same, held until the transaction ends: it cannot be deleted meanwhile. Whoever writes what refers to an audience
 * takes this first; it keeps nobody else from doing so too.
 */
export const holdAudience = (em: Em, workspaceId: string, id: string) =>
  selectAudience(em, workspaceId, id).forKeyShare().executeTakeFirst()

/** Answers whether this is what archived it. */
export async function archiveOnce(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const archived = await em.nativeUpdate(Audience, { workspaceId, id, archivedAt: null }, { archivedAt: sql.now() })
  return archived === 1
}
