import { defineEntity, p } from '@mikro-orm/core'

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
