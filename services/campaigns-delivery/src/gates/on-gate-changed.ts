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
 * Subscribed to without a durable consumer. Nothing in such a message may be read: any service that has a consumer can make
 * the server send one here, with headers and a body of its choice. That one came is all it says.
 */
export const heard = [
  eventSubject('gateway', eventName(GateChangedSchema)),
  eventSubject('gateway', eventName(WorkspaceChangedSchema)),
  eventSubject('sending-infra', eventName(SenderChangedSchema)),
  eventSubject('sending-infra', eventName(DomainCheckedSchema)),
]

/**
 * Tells this process at once that a gate, a workspace, a sender or a sending domain changed. Every worker must hear it, and one that does not
 * asks again within 3 s anyway: so this listens plainly, without a durable consumer, and keeps nothing.
 */
export function onGateChanged(bus: Bus, drop: () => void): Part {
  const subscriptions = heard.map((subject) =>
    bus.connection.subscribe(bus.subject(subject), { callback: () => drop() }),
  )
  return {
    stop: async () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
