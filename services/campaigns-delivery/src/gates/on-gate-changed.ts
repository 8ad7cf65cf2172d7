import {
  DomainCheckedSchema,
  GateChangedSchema,
  SenderChangedSchema,
  WorkspaceChangedSchema,
} from '@lettergate/contracts/events/v1/events'
import type { Bus } from '@lettergate/events'
import { workspacesIn } from '@lettergate/events/event-batch'
import { eventName, eventSubject } from '@lettergate/events/message'
import type { Part } from '@lettergate/service'

const gateSubject = eventSubject('gateway', eventName(GateChangedSchema))

/**
 * Subjects without a durable consumer. The content of these messages must not be trusted: any service that has a consumer
 * can make the server deliver a message here with its own headers and body. Such a message can only add changes.
 */
export const changeSubjects = [
  gateSubject,
  eventSubject('gateway', eventName(WorkspaceChangedSchema)),
  eventSubject('sending-infra', eventName(SenderChangedSchema)),
  eventSubject('sending-infra', eventName(DomainCheckedSchema)),
]

/**
 * Calls `changed` at once when a gate, a workspace, a sender or a sending domain changes, with the workspaces that it
 * concerns; undefined: all of them. Every process must receive the message, so there is no durable consumer. A process that
 * misses it asks again: within 1 s for a gate, 3 s for the others.
 */
export function onGateChanged(bus: Bus, changed: (workspaceIds: ReadonlySet<string> | undefined) => void): Part {
  const subscriptions = changeSubjects.map((subject) =>
    bus.connection.subscribe(bus.subject(subject), {
      callback: (_error, message) => changed(subject === gateSubject ? undefined : workspacesIn(message)),
    }),
  )
  return {
    stop: async () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
