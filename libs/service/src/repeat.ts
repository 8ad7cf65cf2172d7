import type { Part, Service } from './lifecycle.ts'
import { startInTurn } from './first-runs.ts'
import { untraced } from './tracing.ts'

const unfinishedMs = 1_000

/**
 * Runs a job now, then again `everyMs` after the end of each run, or one second after a run that returned `unfinished`. Runs
 * never overlap; an error is logged, and the job continues. `wake()` runs it at once, or once more if it is running.
 * `wakeWithin()` runs it within that time, once for all calls until then. A run does not belong to the trace of its waker.
 * When a service starts, the first runs of its jobs follow one another.
 */
export function repeat(
  service: Service,
  name: string,
  everyMs: number,
  job: () => Promise<void> | Promise<'finished' | 'unfinished'>,
): Part & { wake(): void; wakeWithin(ms: number): void } {
  let timer: NodeJS.Timeout | undefined
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
    clearTimeout(timer)
    hasStarted = true
    running = untraced(once).then((nextMs) => {
      running = undefined
      if (stopped) return
      const delay = rerun ? 0 : nextMs
      rerun = false
      timer = setTimeout(start, delay)
    })
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
      clearTimeout(timer)
      clearTimeout(later)
      await running
    },
  }
}
