import { defineEntity, p } from '@mikro-orm/core'

/** The id of a tag that was merged away, and the tag that took its place, however many merges later. */
export const MergedTag = defineEntity({
  name: 'MergedTag',
  tableName: 'merged_tags',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    intoId: p.uuid(),
  },
})
