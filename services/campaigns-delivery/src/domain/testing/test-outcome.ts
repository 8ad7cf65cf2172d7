import type { EventKind, Facts } from '../delivery/outcome.ts'

export type TestSendState = 'queued' | 'accepted' | 'delivered' | 'failed'
export type HandOffState = 'claimed' | 'accepted' | 'failed' | 'unknown'
export type RehearsalState = 'pending' | 'sent' | 'verified' | 'failed'

/**
 * Where a test message stands, by its call and the set of its events, whatever their order. Any event proves that the
 * provider has it; a hard bounce wins over delivery. While nobody knows it stays `queued`.
 */
export function testSendState(handOff: HandOffState, facts: Facts): TestSendState {
  if (facts.hard_bounced ?? facts.provider_suppressed) return 'failed'
  if (facts.delivered) return 'delivered'
  if (handOff === 'accepted' || Object.keys(facts).length > 0) return 'accepted'
  return handOff === 'failed' ? 'failed' : 'queued'
}

/** The events that prove the way there and back: the provider took the message, and the recipient's server did. */
export const expectedKinds: readonly EventKind[] = ['accepted', 'delivered']

export interface RehearsalStanding {
  state: RehearsalState
  failureReason: string | null
}

/**
 * Where a rehearsal stands. Verified and failed are final: what comes later is counted and changes neither. Only signed
 * events verify; that the provider answered, or was asked and has the message, makes it `sent`.
 */
export function rehearsalStanding(
  now: RehearsalStanding,
  known: { testSend: TestSendState; facts: Facts; reason: string | null; received: ReadonlySet<string> },
): RehearsalStanding {
  if (now.state === 'verified' || now.state === 'failed') return now
  if (known.testSend === 'failed') return { state: 'failed', failureReason: failureOf(known) }
  if (expectedKinds.every((kind) => known.received.has(kind))) return { state: 'verified', failureReason: null }
  return { state: known.testSend === 'queued' ? 'pending' : 'sent', failureReason: null }
}

function failureOf({ facts, reason }: { facts: Facts; reason: string | null }): string {
  if (facts.hard_bounced) return 'hard_bounced'
  return facts.provider_suppressed ? 'provider_suppressed' : (reason ?? 'refused')
}
