import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { creditMs, pace } from './pace.ts'

interface SentCall {
  at: number
  messages: number
}

/** Calls `pace` at each of these times and sends only what it lets through. */
function sent(asked: readonly { afterMs: number; messages: number }[], perSecond: number): SentCall[] {
  const calls: SentCall[] = []
  let now = 0
  let paidUntil = -Infinity
  for (const { afterMs, messages } of asked) {
    now += afterMs
    const paced = pace(Math.max(paidUntil - now, -creditMs), messages, perSecond)
    if (paced.kind === 'wait') continue
    paidUntil = now + paced.aheadMs
    calls.push({ at: now, messages })
  }
  return calls
}

const asking = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 700 }), messages: fc.integer({ min: 1, max: 200 }) }),
  { minLength: 1, maxLength: 200 },
)

test('in any time span no more messages go than the rate allows, plus one second of credit and one call', () => {
  fc.assert(
    fc.property(asking, fc.integer({ min: 1, max: 2_000 }), (asked, perSecond) => {
      const calls = sent(asked, perSecond)
      for (let first = 0; first < calls.length; first += 1) {
        let messages = 0
        for (const { at, messages: more } of calls.slice(first)) {
          const span = (at - calls[first]!.at + creditMs) / 1_000
          expect(messages).toBeLessThanOrEqual(perSecond * span + 1e-6)
          messages += more
        }
      }
    }),
  )
})

test('a call that waits as long as it was told may go', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 5_000 }), (messages, perSecond) => {
      const first = pace(0, messages, perSecond)
      const waitMs = first.kind === 'go' ? first.aheadMs : Infinity
      expect(waitMs).toBeCloseTo((messages * 1_000) / perSecond)
      expect(pace(waitMs, messages, perSecond)).toEqual({ kind: 'wait', ms: waitMs })
      expect(pace(0, messages, perSecond).kind).toBe('go')
    }),
  )
})
