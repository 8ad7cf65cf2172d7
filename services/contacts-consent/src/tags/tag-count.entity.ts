import { defineEntity, p } from '@mikro-orm/core'

/**
 * The number of contacts with a tag: the sum of its slots. Triggers on contact_tags maintain it, so every statement is
 * counted. Each database session writes its own slot, so that upserts do not wait for one row.
 */
export const TagCount = defineEntity({
  name: 'TagCount',
  tableName: 'tag_counts',
  properties: {
    workspaceId: p.uuid().primary(),
    tagId: p.uuid().primary(),
    slot: p.smallint().primary(),
    contacts: p.bigint(),
  },
})
