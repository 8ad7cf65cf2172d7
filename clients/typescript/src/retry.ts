import type { Failure } from './result.ts'
import type { Route } from './route.ts'

/** Statuses of docs/statuses.md after which a request that is safe to repeat may succeed; 0 is an answer that did not arrive. */
const passing = new Set([0, 408, 500, 503])

/**
 * The milliseconds to wait before the next attempt; undefined when there must be none. A request that was refused with 429
 * changed nothing. Any other failure is repeated only for reads and with an idempotency key, and a bug (500) once.
 */
export function waitBeforeRetry(
  route: Route,
  failure: Failure,
  {
    attempt,
    attemptsMax,
    waitMsMax,
    random,
  }: { attempt: number; attemptsMax: number; waitMsMax: number; random: number },
): number | undefined {
  if (attempt >= attemptsMax || failure.reason === 'cancelled') return undefined
  if (failure.status !== 429) {
    const isSafe = route.method === 'GET' || route.takesKey === true
    if (!isSafe || !passing.has(failure.status)) return undefined
    if (failure.status === 500 && attempt > 1) return undefined
  }
  const backoffMs = 250 * 2 ** (attempt - 1) * (0.5 + random)
  const waitMs = failure.retryAfter === undefined ? backoffMs : failure.retryAfter * 1_000
  return waitMs > waitMsMax ? undefined : waitMs
}
