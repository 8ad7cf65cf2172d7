import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

/** All users that the wallet has confirmed. A user has access only through memberships. */
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
