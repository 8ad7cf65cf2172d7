import { defineEntity, p } from '@mikro-orm/core'
import type { Carrier } from '@lettergate/service/tracing'

/** The metadata of an event. The outbox stores it, so that a later publish continues the same trace. */
export interface EventHeaders {
  type: string
  correlationId: string
  actor: string
  /** human, agent, service, …; absent for system */
  actorKind?: string
  /** bearer, session, service or source; absent without a request */
  authMethod?: string
  trace: Carrier
}

/** An event of this service. The row stays as long as the event may have to be published again. */
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
