import type { Service } from './lifecycle.ts'

const longestMs = 1_000

/** The last first run of each service that is starting. */
const lastOf = new WeakMap<Service, Promise<unknown>>()

/**
 * Starts the first runs of a service's jobs one after another, so that a start needs one database connection and not one for
 * each job. A run that takes more than a second does not delay the next one.
 */
export function startInTurn(service: Service, first: () => Promise<void> | undefined): void {
  const before = lastOf.get(service)
  const run = before ? before.then(() => withinLimit(first())) : withinLimit(first())
  lastOf.set(service, run)
  void run.then(() => {
    if (lastOf.get(service) === run) lastOf.delete(service)
  })
}

/** Resolves when the run ends, or after a second. Runs handle their errors. */
async function withinLimit(run: Promise<void> | undefined): Promise<void> {
  if (!run) return
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longestMs)
    timer.unref()
  })
  await Promise.race([run, limit])
  clearTimeout(timer)
}
