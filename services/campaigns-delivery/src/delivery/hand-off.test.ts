import { expect, test } from '@jest/globals'
import { isCommittedLate, startWithinMs } from './hand-off.ts'

test.each([
  ['at once', { judgedAt: 1_000, intentAt: 1_000, committedAt: 1_000 }, 1_000, 2_000],
  ['within 2 s of the intent', { judgedAt: 1_000, intentAt: 2_000, committedAt: 3_000 }, 3_500, 500],
  ['not later', { judgedAt: 1_000, intentAt: 2_000, committedAt: 2_100 }, 4_000, 0],
  [
    'not with an old verdict, whatever the clock of the database said',
    { judgedAt: 1_000, intentAt: 60_000, committedAt: 60_001 },
    60_001,
    -55_101,
  ],
])('a call starts %s', (_, times, now, left) => expect(startWithinMs(times, now)).toBe(left))

test('a commit is late when the verdicts are older than 2 s after it', () => {
  expect(isCommittedLate({ judgedAt: 1_000, intentAt: 2_800, committedAt: 3_000 })).toBe(false)
  expect(isCommittedLate({ judgedAt: 1_000, intentAt: 2_800, committedAt: 3_001 })).toBe(true)
})
