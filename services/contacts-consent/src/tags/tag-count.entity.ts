import { defineEntity, p } from '@mikro-orm/core'

/**
 * How many contacts carry a tag: the sum of its slots. Triggers on contact_tags keep it, so that no statement can forget
 * to; each database session writes a slot of its own, so that upserts do not queue for one row.
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
