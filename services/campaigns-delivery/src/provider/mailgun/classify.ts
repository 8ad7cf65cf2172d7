import type { CallResult } from '@lettergate/http'

/**
 * What an answer proves. `accepted`: the provider has the messages. `not_accepted`: it provably has none, and may be asked
 * again later. `refused`: it has none and never will take these. `unknown`: it may have them; nobody may ever guess.
 */
export type HandOffResult =
  | { kind: 'accepted'; providerMessageId: string }
  | {
      kind: 'not_accepted'
      cause: 'unreachable' | 'rate_limited' | 'credential_refused'
      reason: string
      retryAfterMs: number
    }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string }

/** Reads the answer to a messages call. Only what proves something counts as proof; everything else is unknown. */
export function classify(result: CallResult, now: Date): HandOffResult {
  if (result.kind === 'not_sent')
    return { kind: 'not_accepted', cause: 'unreachable', reason: 'not_sent', retryAfterMs: 0 }
  if (result.kind === 'ambiguous') return { kind: 'unknown', reason: 'no_answer' }
  const { status, headers } = result
  const reason = `status_${status}`
  if (status === 200) {
    const providerMessageId = result.truncated ? undefined : messageIdIn(result.body)
    return providerMessageId === undefined
      ? { kind: 'unknown', reason: 'unreadable_answer' }
      : { kind: 'accepted', providerMessageId }
  }
  if (status === 429)
    return {
      kind: 'not_accepted',
      cause: 'rate_limited',
      reason,
      retryAfterMs: retryAfterMs(headers['retry-after'], now),
    }
  if (status === 401 || status === 402 || status === 403)
    return { kind: 'not_accepted', cause: 'credential_refused', reason, retryAfterMs: 0 }
  if (status >= 400 && status < 500 && status !== 408) return { kind: 'refused', reason }
  return { kind: 'unknown', reason }
}

function messageIdIn(body: Buffer): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    const id = typeof parsed === 'object' && parsed !== null && 'id' in parsed ? parsed.id : undefined
    const bare = typeof id === 'string' ? id.trim().replace(/^<|>$/g, '') : ''
    return bare === '' || bare.length > 500 ? undefined : bare
  } catch {
    return undefined
  }
}

const longestWaitMs = 24 * 3_600_000

/** RFC 9110 section 10.2.3: seconds or a date. */
function retryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(longestWaitMs, Math.max(0, ms))
}
