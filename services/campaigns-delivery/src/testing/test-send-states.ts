import type { MessageEventKind, Facts } from '../messages/outcome.ts'
import type { RecipientState } from '../messages/recipient-state.ts'

export type TestSendState = 'queued' | 'accepted' | 'delivered' | 'failed'
export type RehearsalState = 'pending' | 'sent' | 'verified' | 'failed'

/** The API state of a test message. While the result of the call is not known, the state is `queued`. */
export const testSendStates = {
  pending: 'queued',
  claimed: 'queued',
  unknown: 'queued',
  accepted: 'accepted',
  soft_failed: 'accepted',
  delivered: 'delivered',
  hard_bounced: 'failed',
  skipped: 'failed',
  failed: 'failed',
} as const satisfies Record<RecipientState, TestSendState>

/** The events that verify a rehearsal: the provider accepted the message, and the recipient's server did. */
export const expectedKinds: readonly MessageEventKind[] = ['accepted', 'delivered']

export interface RehearsalResult {
  state: RehearsalState
  failureReason: string | null
}

/**
 * Returns the next state of a rehearsal. Verified and failed are final; later events are only counted. Only signed events
 * verify. An answer of the provider, or a message found by a lookup, makes it `sent`.
 */
export function nextRehearsalResult(
  now: RehearsalResult,
  known: { testSend: TestSendState; facts: Facts; reason: string | null; received: ReadonlySet<string> },
): RehearsalResult {
  if (now.state === 'verified' || now.state === 'failed') return now
  if (known.testSend === 'failed') return { state: 'failed', failureReason: failureOf(known) }
  if (expectedKinds.every((kind) => known.received.has(kind))) return { state: 'verified', failureReason: null }
  return { state: known.testSend === 'queued' ? 'pending' : 'sent', failureReason: null }
}

function failureOf({ facts, reason }: { facts: Facts; reason: string | null }): string {
  if (facts.hard_bounced) return 'hard_bounced'
  return facts.provider_suppressed ? 'provider_suppressed' : (reason ?? 'refused')
}
