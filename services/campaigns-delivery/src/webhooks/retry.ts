/** What a receiver did with one request. */
export type PostResult =
  | { kind: 'answered'; status: number; retryAfterMs: number }
  | { kind: 'unanswered'; error: 'address_forbidden' | 'not_connected' | 'no_answer' | 'url_refused' }

export type AttemptDecision = { kind: 'accepted' } | { kind: 'retry'; error: string } | { kind: 'gone'; error: string }

/** Only a 2xx takes a delivery; 410 says that nobody wants any more. A redirect is not followed and counts as a refusal. */
export function decideAttempt(response: PostResult): AttemptDecision {
  if (response.kind === 'unanswered') return { kind: 'retry', error: response.error }
  const { status } = response
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  if (status === 410) return { kind: 'gone', error: 'status_410' }
  return { kind: 'retry', error: status >= 300 && status < 400 ? `redirect_${status}` : `status_${status}` }
}

const minute = 60_000
const hour = 60 * minute

/** When attempts are made after the first one: the schedule of Standard Webhooks, over 24 hours. */
const afterFirstMs = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

export const attemptsMax = afterFirstMs.length + 1

/** What the last attempt is never later than, with the longest Retry-After that is listened to. */
const soonestMs = 2_000
const retryAfterMaxMs = 4 * hour

/**
 * How long after an attempt the next one is made; null after the last. `sinceFirstMs` is how old the first attempt is,
 * `random` in [0, 1) spreads receivers that failed together: up to a tenth of the time between two attempts later.
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

/** Milliseconds of a Retry-After header, in seconds or as a date; 0 when there is none that can be read. */
export function retryAfterMsOf(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  if (/^\d{1,7}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime())
}
