import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em } from '@lettergate/database'

/** The id of a merged tag, and the tag that replaces it now, also after further merges. */
export const MergedTag = defineEntity({
  name: 'MergedTag',
  tableName: 'merged_tags',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    intoId: p.uuid(),
  },
})

/** Those of these ids under which tags were merged, with the tags that replace them now. */
export const mergedAmong = (em: Em, workspaceId: string, ids: readonly string[]) =>
  kyselyOf(em, MergedTag)
    .selectFrom('merged_tags')
    .select(['id', 'into_id as intoId'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .orderBy('id')
    .execute()
