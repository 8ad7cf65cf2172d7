import type { CallResult } from '@lettergate/http'
import { jsonOf, problemOf, retryAfterMs } from '@lettergate/mail-provider/answer'

/**
 * What an answer proves. `accepted`: the provider has the messages. `not_accepted`: it certainly has none, and may be asked
 * again later. `refused`: it has none and will never accept these. `unknown`: it may have them.
 */
export type HandOffResult =
  | { kind: 'accepted'; providerMessageId: string }
  | {
      kind: 'not_accepted'
      cause: 'unreachable' | 'rate_limited' | 'credential_refused' | 'domain_refused'
      reason: string
      retryAfterMs: number
    }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string }

/** Classifies the answer to a messages call. An answer that proves nothing is unknown. */
export function classify(result: CallResult, now: Date): HandOffResult {
  if (result.kind === 'not_sent')
    return { kind: 'not_accepted', cause: 'unreachable', reason: 'not_sent', retryAfterMs: 0 }
  if (result.kind === 'ambiguous') return { kind: 'unknown', reason: 'no_answer' }
  const { status } = result
  const reason = `status_${status}`
  if (status === 200) {
    const providerMessageId = messageIdIn(result)
    return providerMessageId === undefined
      ? { kind: 'unknown', reason: 'unreadable_answer' }
      : { kind: 'accepted', providerMessageId }
  }
  // 401 concerns the key and 402 the account. 403 and 404 concern the domain in the path: not verified, disabled, not allowed
  // to send, or not known in this account and region. If the whole account is meant, each domain learns it with one call.
  const cause = status === 403 || status === 404 ? 'domain_refused' : problemOf(result)
  if (cause === 'rate_limited' || cause === 'credential_refused' || cause === 'domain_refused')
    return { kind: 'not_accepted', cause, reason, retryAfterMs: retryAfterMs(result, now) }
  if (status >= 400 && status < 500 && status !== 408) return { kind: 'refused', reason }
  return { kind: 'unknown', reason }
}

function messageIdIn(result: CallResult): string | undefined {
  const answer = jsonOf(result)
  const id = answer !== undefined && 'id' in answer ? answer.id : undefined
  const bare = typeof id === 'string' ? id.trim().replace(/^<|>$/g, '') : ''
  return bare === '' || bare.length > 500 ? undefined : bare
}
