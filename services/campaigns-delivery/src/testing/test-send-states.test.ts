import { describe, expect, test } from '@jest/globals'
import type { FactName, Facts } from '../messages/outcome.ts'
import { nextRehearsalResult, testSendStates, type TestSendState } from './test-send-states.ts'

const at = new Date('2026-11-21T12:00:00Z')
const facts = (...names: FactName[]): Facts => Object.fromEntries(names.map((name) => [name, at]))

test.each([
  ['claimed', 'queued'],
  ['unknown', 'queued'],
  ['accepted', 'accepted'],
  ['soft_failed', 'accepted'],
  ['delivered', 'delivered'],
  ['hard_bounced', 'failed'],
  ['failed', 'failed'],
] as const)('a test message that is %s is shown as %s', (state, shown) => expect(testSendStates[state]).toBe(shown))

describe('a rehearsal', () => {
  const nextState = (
    testSend: TestSendState,
    received: string[],
    names: FactName[] = [],
    reason: string | null = null,
  ) =>
    nextRehearsalResult(
      { state: 'pending', failureReason: null },
      { testSend, facts: facts(...names), reason, received: new Set(received) },
    )

  test('goes from pending through sent to verified', () => {
    expect(nextState('queued', []).state).toBe('pending')
    expect(nextState('accepted', []).state).toBe('sent')
    expect(nextState('accepted', ['accepted']).state).toBe('sent')
    expect(nextState('delivered', ['delivered']).state).toBe('sent')
    expect(nextState('delivered', ['delivered', 'accepted', 'opened']).state).toBe('verified')
  })

  test('fails with the reason of its message', () => {
    expect(nextState('failed', [], [], 'status_400')).toEqual({ state: 'failed', failureReason: 'status_400' })
    expect(nextState('failed', ['accepted', 'failed'], ['hard_bounced'])).toMatchObject({
      failureReason: 'hard_bounced',
    })
    expect(nextState('failed', [], ['provider_suppressed'])).toMatchObject({ failureReason: 'provider_suppressed' })
  })

  test.each(['verified', 'failed'] as const)('that is %s stays so', (state) => {
    const before = { state, failureReason: state === 'failed' ? 'events_missing' : null }
    for (const testSend of ['failed', 'delivered'] as const)
      expect(
        nextRehearsalResult(before, {
          testSend,
          facts: {},
          reason: null,
          received: new Set(['accepted', 'delivered']),
        }),
      ).toEqual(before)
  })
})
