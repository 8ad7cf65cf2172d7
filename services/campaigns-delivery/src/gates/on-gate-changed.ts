import {
  DomainCheckedSchema,
  GateChangedSchema,
  SenderChangedSchema,
  WorkspaceChangedSchema,
} from '@lettergate/contracts/events/v1/events'
import type { Bus } from '@lettergate/events'
import { eventName, eventSubject } from '@lettergate/events/message'
import type { Part } from '@lettergate/service'

/**
 * Subjects without a durable consumer. The content of these messages must not be trusted: any service that has a consumer
 * can make the server deliver a message here with its own headers and body. Only the arrival counts.
 */
export const changeSubjects = [
  eventSubject('gateway', eventName(GateChangedSchema)),
  eventSubject('gateway', eventName(WorkspaceChangedSchema)),
  eventSubject('sending-infra', eventName(SenderChangedSchema)),
  eventSubject('sending-infra', eventName(DomainCheckedSchema)),
]

/**
 * Calls `drop` at once when a gate, a workspace, a sender or a sending domain changes. Every worker must receive the
 * message, so there is no durable consumer. A worker that misses it asks again within 3 s.
 */
export function onGateChanged(bus: Bus, drop: () => void): Part {
  const subscriptions = changeSubjects.map((subject) =>
    bus.connection.subscribe(bus.subject(subject), { callback: () => drop() }),
  )
  return {
    stop: async () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
