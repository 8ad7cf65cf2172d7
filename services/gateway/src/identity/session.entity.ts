import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

/** A session ends this long after its sign-in. */
export const sessionSeconds = 12 * 3_600
/** A session ends this long after its last request. */
export const idleSeconds = 2 * 3_600

/** Browser sessions; of the cookie only the SHA-256 is stored. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    tokenHash: p.string().primary(),
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    userId: p.uuid(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime(),
  },
})
export type Session = InferEntity<typeof Session>

/** Which sessions are valid at a time. */
export const validAt = (now: Date) => ({
  createdAt: { $gt: new Date(now.getTime() - sessionSeconds * 1_000) },
  lastUsedAt: { $gt: new Date(now.getTime() - idleSeconds * 1_000) },
})
