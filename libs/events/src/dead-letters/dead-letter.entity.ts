import { defineEntity, p } from '@mikro-orm/core'
import type { EventMeta } from '../message.ts'

export const states = ['dead', 'replaying', 'replayed', 'discarded'] as const

/** An event that a consumer could not handle, with its state. */
export const DeadLetter = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  properties: {
    id: p.uuid().primary(),
    consumer: p.text(),
    subject: p.text(),
    eventId: p.uuid(),
    payload: p.blob(),
    headers: p.json<
      Omit<EventMeta, 'time' | 'source' | 'actorKind' | 'authMethod'> & {
        time: string
        actorKind?: string
        authMethod?: string | null
      }
    >(),
    error: p.text(),
    attempts: p.integer().default(1),
    state: p.text().$type<(typeof states)[number]>().generated('stored'),
    createdAt: p.datetime().defaultRaw('now()'),
    replayRequestedAt: p.datetime().nullable(),
    replayedAt: p.datetime().nullable(),
    discardedAt: p.datetime().nullable(),
    discardReason: p.text().nullable(),
  },
})
