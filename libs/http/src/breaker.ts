import { Fault } from '@lettergate/fault'

export interface BreakerOptions {
  /** Failures in a row that open it; default 5. */
  failuresMax?: number
  /** How long it answers at once before one call may try again, milliseconds; default 5,000. */
  openMs?: number
  /** Which thrown errors speak for an outage; default all but Faults other than `unavailable`. */
  isFailure?: (error: unknown) => boolean
  /** Milliseconds that only go forward. */
  clock?: () => number
}

export interface Breaker {
  readonly state: 'closed' | 'open' | 'half_open'
  /** Runs the work, or throws Fault `unavailable` at once, without running it, while the breaker is open. */
  run<T>(work: () => Promise<T>): Promise<T>
}

const outage = (error: unknown) => !(error instanceof Fault) || error.code === 'unavailable'

/**
 * Stops calling what is down: after `failuresMax` failures in a row it refuses at once for `openMs`, then lets one call
 * through at a time; its success closes the breaker, its failure opens it again. Each process has its own.
 */
export function breaker(name: string, options: BreakerOptions = {}): Breaker {
  const { failuresMax = 5, openMs = 5_000, isFailure = outage, clock = () => performance.now() } = options
  let failures = 0
  let openUntil: number | undefined
  let trying = false

  const refuse = () =>
    new Fault(
      'unavailable',
      `${name}_unavailable`,
      'A system that this needs does not answer at the moment. Try again in a few seconds.',
    )

  return {
    get state() {
      if (openUntil === undefined) return 'closed'
      return clock() < openUntil ? 'open' : 'half_open'
    },
    async run(work) {
      const isTrial = openUntil !== undefined
      if (isTrial) {
        if (clock() < openUntil! || trying) throw refuse()
        trying = true
      }
      try {
        const result = await work()
        failures = 0
        openUntil = undefined
        return result
      } catch (error) {
        if (!isFailure(error)) {
          failures = 0
          openUntil = undefined
        } else if (++failures >= failuresMax || isTrial) openUntil = clock() + openMs
        throw error
      } finally {
        if (isTrial) trying = false
      }
    },
  }
}
