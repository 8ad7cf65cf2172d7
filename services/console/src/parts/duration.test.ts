import { expect, test } from '@jest/globals'
import { spanOf } from './duration.ts'

test.each([
  [0, ''],
  [1, '1 second'],
  [5_400, '1 hour 30 minutes'],
  [86_400, '1 day'],
  [90_061, '1 day 1 hour'],
])('%i seconds are “%s”', (seconds, words) => {
  expect(spanOf(seconds)).toBe(words)
})
