import type { Bus } from '@lettergate/events'
import { ignoring } from '@lettergate/fault'
import type { Part } from '@lettergate/service'

/** Not in a stream: a worker that misses the message looks by itself within a second. The content is not read. */
export const wakeSubject = 'wake.campaigns-delivery'

/** Tells every worker to look for work now. */
export function wakeWorkers(bus: Bus): void {
  try {
    bus.connection.publish(bus.subject(wakeSubject))
  } catch (error) {
    ignoring(error, 'without the broker workers look by themselves')
  }
}

/** Calls `look` when a message says that there is new work. */
export function onWorkMade(bus: Bus, look: () => void): Part {
  const subscription = bus.connection.subscribe(bus.subject(wakeSubject), { callback: () => look() })
  return { stop: async () => subscription.unsubscribe() }
}
