import {
  DomainCheckedSchema,
  GateChangedSchema,
  SenderChangedSchema,
  WorkspaceChangedSchema,
} from '@lettergate/contracts/events/v1/events'
import type { Bus } from '@lettergate/events'
import { eventName, eventSubject } from '@lettergate/events/message'
import type { Part } from '@lettergate/service'

const heard = [
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
  const subscriptions = heard.map((subject) => bus.connection.subscribe(bus.subject(subject), { callback: drop }))
  return {
    stop: async () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
