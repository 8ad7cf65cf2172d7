import { expect, test } from '@jest/globals'
import { startWithinMs } from './hand-off.ts'

test.each([
  ['at once', { judgedAt: 1_000, intentAt: 1_000 }, 1_000, 2_000],
  ['within 2 s of the intent', { judgedAt: 1_000, intentAt: 2_000 }, 3_500, 500],
  ['not later', { judgedAt: 1_000, intentAt: 2_000 }, 4_000, 0],
  [
    'not with an old verdict, whatever the clock of the database said',
    { judgedAt: 1_000, intentAt: 60_000 },
    60_001,
    -55_101,
  ],
])('a call starts %s', (_, times, now, left) => expect(startWithinMs(times, now)).toBe(left))
