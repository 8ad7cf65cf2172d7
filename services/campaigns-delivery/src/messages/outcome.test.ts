import { describe, expect, test } from '@jest/globals'
import { factNames, factOf, addFact, type Facts } from './outcome.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, second))

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!]
  }
  return mixed
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

describe('the meaning of events', () => {
  test.each([
    [{ event: 'accepted' }, 'accepted'],
    [{ event: 'delivered' }, 'delivered'],
    [{ event: 'failed', severity: 'permanent', reason: 'bounce' }, 'hard_bounced'],
    [{ event: 'failed', severity: 'permanent' }, 'hard_bounced'],
    [{ event: 'failed', severity: 'permanent', reason: 'suppress-bounce' }, 'provider_suppressed'],
    [{ event: 'failed', severity: 'temporary', reason: 'greylisted' }, 'soft_failed'],
    [{ event: 'failed' }, 'soft_failed'],
    [{ event: 'complained' }, 'complained'],
    [{ event: 'opened' }, 'opened'],
    [{ event: 'clicked' }, 'clicked'],
    [{ event: 'unsubscribed' }, 'unsubscribed'],
    [{ event: 'list_member_uploaded' }, undefined],
  ])('%j is %s', (event, fact) => expect(factOf(event)).toBe(fact))
})

describe('what is known of a message', () => {
  test('1,000 permutations of any set of events, with repeats, give the same result', () => {
    const random = seeded(20261121)
    for (let round = 0; round < 20; round += 1) {
      const events = Array.from({ length: 12 }, () => ({
        fact: factNames[Math.floor(random() * factNames.length)]!,
        at: at(Math.floor(random() * 50)),
      }))
      const fold = (order: typeof events) =>
        order.reduce<Facts>((known, event) => addFact(known, event.fact, event.at), {})
      const expected = fold(events)
      for (let permutation = 0; permutation < 50; permutation += 1) {
        const order = shuffled([...events, ...events.slice(0, Math.floor(random() * events.length))], random)
        const result = fold(order)
        expect(result).toEqual(expected)
      }
    }
  })
})
