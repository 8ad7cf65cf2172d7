import { expect, test } from '@jest/globals'
import { standingOf, type StoredMessage } from './recipient-state.ts'

const at = new Date(Date.UTC(2026, 10, 21))
const claimed = (handOffState: string | null, facts: StoredMessage['facts'] = {}) =>
  standingOf({ state: 'claimed', handOffState, facts })

test.each(['pending', 'skipped', 'failed'] as const)('who is %s was not sent to and has no outcome', (state) => {
  expect(standingOf({ state, handOffState: 'accepted', facts: {} })).toEqual({ state, outcome: undefined })
})

test('a call without an answer is claimed, then unknown, until the provider says anything', () => {
  expect(claimed('claimed')).toEqual({ state: 'claimed', outcome: undefined })
  expect(claimed('unknown')).toEqual({ state: 'unknown', outcome: undefined })
  for (const handOffState of ['claimed', 'unknown', 'put_back', 'accepted'])
    expect(claimed(handOffState, { opened: at })).toEqual({ state: 'accepted', outcome: 'no_terminal_event' })
})

test.each([
  [{}, 'accepted', 'no_terminal_event'],
  [{ soft_failed: at }, 'soft_failed', 'soft_failed_only'],
  [{ soft_failed: at, delivered: at }, 'delivered', 'delivered'],
  [{ delivered: at, hard_bounced: at }, 'hard_bounced', 'hard_bounced'],
  [{ provider_suppressed: at }, 'hard_bounced', 'hard_bounced'],
] as const)('an accepted message of which %j is known is %s and ended as %s', (facts, state, outcome) => {
  expect(claimed('accepted', facts)).toEqual({ state, outcome })
})
