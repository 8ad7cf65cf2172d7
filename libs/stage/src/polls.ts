import type { Service } from '@lettergate/service'
import { runPolls } from '@lettergate/service/repeat'

/** The services that stages of this process booted. */
const booted = new Set<Service>()

export const addPolls = (service: Service): void => void booted.add(service)
export const removePolls = (service: Service): void => void booted.delete(service)

/** Lets every booted service look for work now. */
export function runPollsOfTests(): void {
  for (const service of booted) runPolls(service)
}
