import type { Bus } from '@lettergate/events'
import { ignoring } from '@lettergate/fault'
import type { Part } from '@lettergate/service'

/** Of no stream: whoever is not there hears nothing, and looks by itself a second later. Nothing in such a message is read. */
export const wakeSubject = 'wake.campaigns-delivery'

/** Tells every worker to look for work now. */
export function wakeWorkers(bus: Bus): void {
  try {
    bus.connection.publish(bus.subject(wakeSubject))
  } catch (error) {
    ignoring(error, 'without the broker workers look by themselves')
  }
}

/** Calls back when somebody has made work for the workers. */
export function onWorkMade(bus: Bus, look: () => void): Part {
  const subscription = bus.connection.subscribe(bus.subject(wakeSubject), { callback: () => look() })
  return { stop: async () => subscription.unsubscribe() }
}
