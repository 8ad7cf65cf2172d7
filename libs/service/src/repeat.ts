import type { Part, Service } from './lifecycle.ts'
import { startInTurn } from './first-runs.ts'
import { untraced } from './tracing.ts'

const unfinishedMs = 1_000
const earlierMsMax = 1_000
const pollMsMax = 10_000

interface Waiting {
  everyMs: number
  dueAt: number
  /** how much earlier it may run */
  earlierMs: number
  start: () => void
}

/** The jobs of each service that wait for their next run. */
const waitingOf = new WeakMap<Service, Set<Waiting>>()

/**
 * Runs a job now, then again `everyMs` after the end of each run, or one second after a run that returned `unfinished`. Runs
 * never overlap; an error is logged, and the job continues. `wake()` runs it at once, or once more if it is running.
 * `wakeWithin()` runs it within that time, once for all calls until then. A run does not belong to the trace of its waker.
 * When a service starts, the first runs of its jobs follow one another.
 *
 * Jobs of a service run together: when one is due, so are those that would be due within a second, at most a quarter of their
 * interval early. To wake an idle process costs more than the work of most jobs.
 */
export function repeat(
  service: Service,
  name: string,
  everyMs: number,
  job: () => Promise<void> | Promise<'finished' | 'unfinished'>,
): Part & { wake(): void; wakeWithin(ms: number): void } {
  const waiting = waitingOf.get(service) ?? new Set()
  waitingOf.set(service, waiting)
  let timer: NodeJS.Timeout | undefined
  let next: Waiting | undefined
  let later: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let rerun = false
  let hasStarted = false
  let stopped = false

  const once = async () => {
    try {
      return (await job()) === 'unfinished' ? Math.min(everyMs, unfinishedMs) : everyMs
    } catch (error) {
      service.log.error({ err: error, job: name }, 'a job failed and will run again')
      return everyMs
    }
  }
  const start = () => {
    if (stopped) return
    if (running) {
      rerun = true
      return
    }
    unschedule()
    hasStarted = true
    running = untraced(once).then((nextMs) => {
      running = undefined
      if (stopped) return
      schedule(rerun ? 0 : nextMs)
      rerun = false
    })
  }
  function schedule(ms: number) {
    next = { everyMs, dueAt: performance.now() + ms, earlierMs: Math.min(ms / 4, earlierMsMax), start }
    waiting.add(next)
    timer = setTimeout(() => {
      const now = performance.now()
      start()
      for (const other of waiting) if (other.dueAt - other.earlierMs <= now) other.start()
    }, ms)
  }
  function unschedule() {
    clearTimeout(timer)
    if (next) waiting.delete(next)
  }
  startInTurn(service, () => {
    if (!hasStarted) start()
    return running
  })
  return {
    wake: start,
    wakeWithin(ms) {
      if (stopped) return
      later ??= setTimeout(() => {
        later = undefined
        start()
      }, ms)
    },
    async stop() {
      stopped = true
      unschedule()
      clearTimeout(later)
      await running
    },
  }
}

/** Runs the jobs of a service now that look for work at least every ten seconds. For tests, which would wait for them. */
export function runPolls(service: Service): void {
  for (const { everyMs, start } of waitingOf.get(service) ?? []) if (everyMs <= pollMsMax) start()
}
