import { defineEntity, p } from '@mikro-orm/core'

/** Browser sessions; of the cookie only the SHA-256 is stored. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    tokenHash: p.string().primary(),
    userId: p.uuid(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime(),
  },
})
