import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

/** Everybody the wallet has vouched for. A row alone gives no access: that is what memberships are for. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    walletUserId: p.string(),
    username: p.string().nullable(),
    identityType: p.string().$type<'human' | 'agent'>(),
    platformRole: p.string().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})
export type User = InferEntity<typeof User>
