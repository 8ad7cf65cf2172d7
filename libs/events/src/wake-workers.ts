import { ignoring } from '@lettergate/fault'
import type { Part } from '@lettergate/service'
import type { Bus } from './bus.ts'

/** Not in a stream: a worker that misses the message looks by itself within two seconds. The content is not read. */
export const wakeSubject = (service: string): string => `wake.${service}`

/** Tells every worker of this service to look for work now. Call it after the commit. */
export function wakeWorkers(bus: Bus, service: string): void {
  try {
    bus.connection.publish(bus.subject(wakeSubject(service)))
  } catch (error) {
    ignoring(error, 'without the broker workers look by themselves')
  }
}

/** Calls `look` when a message says that there is new work. The server stops sending when the bus closes. */
export function onWorkMade(bus: Bus, service: string, look: () => void): Part {
  let stopped = false
  bus.connection.subscribe(bus.subject(wakeSubject(service)), {
    callback: () => {
      if (!stopped) look()
    },
  })
  return {
    stop: async () => {
      stopped = true
    },
  }
}
