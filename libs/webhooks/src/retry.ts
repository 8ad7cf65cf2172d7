/** The result of one request to a receiver. */
export type PostResult =
  | { kind: 'answered'; status: number; retryAfterMs: number }
  | { kind: 'unanswered'; error: 'address_forbidden' | 'not_connected' | 'no_answer' | 'url_refused' }

export type AttemptDecision = { kind: 'accepted' } | { kind: 'retry'; error: string } | { kind: 'gone'; error: string }

/**
 * Only 2xx accepts a delivery. 410 means that the receiver wants no more. A redirect is not followed and counts as a
 * failure.
 */
export function decideAttempt(response: PostResult): AttemptDecision {
  if (response.kind === 'unanswered') return { kind: 'retry', error: response.error }
  const { status } = response
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  if (status === 410) return { kind: 'gone', error: 'status_410' }
  return { kind: 'retry', error: status >= 300 && status < 400 ? `redirect_${status}` : `status_${status}` }
}

const minute = 60_000
const hour = 60 * minute

/** The times of attempts after the first one: the schedule of Standard Webhooks, over 24 hours. */
const afterFirstMs = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

export const attemptsMax = afterFirstMs.length + 1

/** The shortest wait before an attempt, and the longest Retry-After that is respected. */
const soonestMs = 2_000
const retryAfterMaxMs = 4 * hour

/**
 * Returns how long to wait before the next attempt; null after the last one. `sinceFirstMs` is the age of the first attempt.
 * `random` in [0, 1) adds up to a tenth of the time between two attempts, so that failed deliveries are spread.
 */
export function nextAttemptInMs(
  attempts: number,
  { sinceFirstMs, retryAfterMs, random }: { sinceFirstMs: number; retryAfterMs: number; random: number },
): number | null {
  const planned = afterFirstMs[attempts - 1]
  if (planned === undefined) return null
  const before = afterFirstMs[attempts - 2] ?? 0
  const jitter = random * 0.1 * (planned - before)
  return Math.round(Math.max(planned + jitter - sinceFirstMs, Math.min(retryAfterMs, retryAfterMaxMs), soonestMs))
}

/** Parses a Retry-After header (seconds or a date) into milliseconds. 0 when it is missing or invalid. */
export function retryAfterMsOf(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  if (/^\d{1,7}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime())
}
