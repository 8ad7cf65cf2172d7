import { outcomeOf, type Facts, type Outcome } from './outcome.ts'

/** In the order in which a message goes through them. */
export const recipientStates = [
  'pending',
  'claimed',
  'accepted',
  'delivered',
  'soft_failed',
  'hard_bounced',
  'skipped',
  'failed',
  'unknown',
] as const
export type RecipientState = (typeof recipientStates)[number]

export const outcomes: readonly Outcome[] = ['delivered', 'hard_bounced', 'soft_failed_only', 'no_terminal_event']

/** What is stored of a message: its own state, that of its call to the provider, and the facts. */
export interface StoredMessage {
  state: 'pending' | 'claimed' | 'skipped' | 'failed'
  handOffState: string | null
  facts: Facts
}

const stateOfOutcome = {
  delivered: 'delivered',
  hard_bounced: 'hard_bounced',
  soft_failed_only: 'soft_failed',
  no_terminal_event: 'accepted',
} as const satisfies Record<Outcome, RecipientState>

/** Where a message stands, and how it ended: an outcome has only what the provider has. */
export function standingOf({ state, handOffState, facts }: StoredMessage): {
  state: RecipientState
  outcome: Outcome | undefined
} {
  if (state !== 'claimed') return { state, outcome: undefined }
  if (handOffState === 'accepted' || Object.keys(facts).length > 0) {
    const outcome = outcomeOf(facts)
    return { state: stateOfOutcome[outcome], outcome }
  }
  return { state: handOffState === 'unknown' ? 'unknown' : 'claimed', outcome: undefined }
}
