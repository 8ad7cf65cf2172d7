import type { Part, Service } from './lifecycle.ts'
import { untraced } from './tracing.ts'

const unfinishedMs = 1_000

/**
 * Runs a job now, then again `everyMs` after each end, or a second after it when the job answers that it is unfinished; it
 * never overlaps itself, and an error is logged and does not end it.
 * `wake()` runs it at once, or once more if it is running; `wakeWithin()` does so at most that much later, once for everybody
 * who asks meanwhile. Its work is not part of the trace of whoever woke it.
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
  let again = false
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
      again = true
      return
    }
    clearTimeout(timer)
    running = untraced(once).then((nextMs) => {
      running = undefined
      if (stopped) return
      const delay = again ? 0 : nextMs
      again = false
      timer = setTimeout(start, delay)
    })
  }
  start()
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
