import { defineEntity, p } from '@mikro-orm/core'

/**
 * How many active members an audience has: the sum of its slots. Triggers on memberships keep it, so that no statement
 * can forget to; each database session writes a slot of its own, so that subscribers do not queue for one row.
 */
export const AudienceMemberCount = defineEntity({
  name: 'AudienceMemberCount',
  tableName: 'audience_member_counts',
  properties: {
    workspaceId: p.uuid().primary(),
    audienceId: p.uuid().primary(),
    slot: p.smallint().primary(),
    members: p.bigint(),
  },
})
