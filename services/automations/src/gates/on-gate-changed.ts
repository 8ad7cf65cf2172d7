import { GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import type { Bus } from '@lettergate/events'
import { eventName, eventSubject } from '@lettergate/events/message'
import type { Part } from '@lettergate/service'

/** Without a durable consumer, because every process must receive it. The content is not read, as anybody may have written it. */
export const changeSubjects = [eventSubject('gateway', eventName(GateChangedSchema))]

/** Calls `changed` at once when a platform gate changes. A process that misses the message asks again within 1 s. */
export function onGateChanged(bus: Bus, changed: () => void): Part {
  const subscriptions = changeSubjects.map((subject) =>
    bus.connection.subscribe(bus.subject(subject), { callback: () => changed() }),
  )
  return {
    stop: async () => {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
