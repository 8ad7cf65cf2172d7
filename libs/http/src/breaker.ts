import { Fault, isOutage } from '@lettergate/fault'

export interface BreakerOptions {
  /** Consecutive failures that open it; default 5. */
  failuresMax?: number
  /** Time that it refuses calls before it allows one trial call, milliseconds; default 5,000. */
  openMs?: number
  /** Thrown errors that count as failures; default all except Faults other than `unavailable`. */
  isFailure?: (error: unknown) => boolean
  /** Monotonic milliseconds. */
  clock?: () => number
}

export interface Breaker {
  readonly state: 'closed' | 'open' | 'half_open'
  /** Runs the work. While the breaker is open it throws Fault `unavailable` at once and does not run the work. */
  run<T>(work: () => Promise<T>): Promise<T>
}

const countsAsFailure = (error: unknown) => !(error instanceof Fault) || isOutage(error)

/**
 * A circuit breaker for one process: after `failuresMax` consecutive failures it refuses calls for `openMs`, then allows one
 * trial call at a time. If that succeeds the breaker closes, if it fails the breaker opens again.
 */
export function breaker(name: string, options: BreakerOptions = {}): Breaker {
  const { failuresMax = 5, openMs = 5_000, isFailure = countsAsFailure, clock = () => performance.now() } = options
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
