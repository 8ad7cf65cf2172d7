import { defineEntity, p } from '@mikro-orm/core'

/** Browser sessions, known by the SHA-256 of their cookie only. */
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
