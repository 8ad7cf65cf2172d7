import type { CallResult } from '@lettergate/http'

/** Why a call to the provider failed. `refused` is about the request itself; `failing` and `unreadable` are faults of the provider. */
export type ProviderProblem =
  'unreachable' | 'credential_refused' | 'not_found' | 'refused' | 'rate_limited' | 'failing' | 'unreadable'

/** The problem, by the status alone; undefined for a complete answer of success. 402 and 403 concern the account, like 401. */
export function problemOf(result: CallResult): ProviderProblem | undefined {
  if (result.kind !== 'answered') return 'unreachable'
  const { status } = result
  if (status === 200 || status === 201) return result.truncated ? 'unreadable' : undefined
  if (status === 401 || status === 402 || status === 403) return 'credential_refused'
  if (status === 404) return 'not_found'
  if (status === 400 || status === 409) return 'refused'
  if (status === 429) return 'rate_limited'
  return status === 408 || status >= 500 ? 'failing' : 'unreadable'
}

/** The JSON object or list of an answer; undefined when it is anything else. */
export function jsonOf(result: CallResult): object | undefined {
  if (result.kind !== 'answered' || result.truncated) return undefined
  try {
    const value: unknown = JSON.parse(result.body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const longestWaitMs = 24 * 3_600_000

/** The value of Retry-After (RFC 9110 section 10.2.3), seconds or a date, in milliseconds, a day at most; 0 without the header. */
export function retryAfterMs(result: CallResult, now: Date): number {
  const header = result.kind === 'answered' ? result.headers['retry-after']?.trim() : undefined
  if (header === undefined) return 0
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(longestWaitMs, Math.max(0, ms))
}
