import { describe, expect, test } from '@jest/globals'
import { attemptsMax, nextAttemptInMs, retryAfterMsOf, decideAttempt } from './retry.ts'

test.each([
  [200, 'accepted'],
  [204, 'accepted'],
  [301, 'retry'],
  [307, 'retry'],
  [400, 'retry'],
  [404, 'retry'],
  [410, 'gone'],
  [429, 'retry'],
  [500, 'retry'],
])('status %s: %s', (status, kind) =>
  expect(decideAttempt({ kind: 'answered', status, retryAfterMs: 0 }).kind).toBe(kind),
)

test('a request without a response is tried again', () =>
  expect(decideAttempt({ kind: 'unanswered', error: 'no_answer' })).toEqual({ kind: 'retry', error: 'no_answer' }))

describe('the next attempt', () => {
  const calm = { sinceFirstMs: 0, retryAfterMs: 0, random: 0 }

  test('follows the schedule, and there is none after a day', () => {
    const spread = (random: number) => {
      let at = 0
      let attempts = 1
      const times: number[] = []
      for (;;) {
        const wait = nextAttemptInMs(attempts, { sinceFirstMs: at, retryAfterMs: 0, random })
        if (wait === null) return { times, attempts }
        at += wait
        times.push(at)
        attempts += 1
      }
    }
    const exact = spread(0)
    expect(exact.attempts).toBe(attemptsMax)
    expect(exact.times.slice(0, 3)).toEqual([5_000, 300_000, 1_800_000])
    expect(exact.times.at(-1)).toBe(24 * 3_600_000)
    const late = spread(0.999)
    expect(late.times.every((at, index) => at > exact.times[index]!)).toBe(true)
    expect(late.times.at(-1)).toBeLessThan(25 * 3_600_000)
  })

  test('waits as long as the receiver asks, up to a limit', () => {
    expect(nextAttemptInMs(1, { ...calm, retryAfterMs: 60_000 })).toBe(60_000)
    expect(nextAttemptInMs(1, { ...calm, retryAfterMs: 1e12 })).toBe(4 * 3_600_000)
  })

  test('waits a little when its time has already passed', () =>
    expect(nextAttemptInMs(1, { ...calm, sinceFirstMs: 86_400_000 })).toBe(2_000))
})

test.each([
  [undefined, 0],
  ['30', 30_000],
  ['Sat, 21 Nov 2026 12:00:10 GMT', 10_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['soon', 0],
  ['-5', 0],
])('Retry-After %j is %s ms', (header, ms) => expect(retryAfterMsOf(header, new Date('2026-11-21T12:00:00Z'))).toBe(ms))
