import { defineEntity, p } from '@mikro-orm/core'
import type { Carrier } from '@lettergate/service/tracing'

/** What an event carries besides its payload; kept in the outbox so that a later publish continues the same trace. */
export interface EventHeaders {
  type: string
  correlationId: string
  actor: string
  trace: Carrier
}

/** An event that was announced, for as long as it may have to be published again. */
export const OutboxEvent = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox',
  properties: {
    id: p.uuid().primary(),
    event: p.text(),
    workspaceId: p.uuid().nullable(),
    payload: p.blob(),
    headers: p.json<EventHeaders>(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})
