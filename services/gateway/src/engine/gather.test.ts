import { expect, test } from '@jest/globals'
import { gatherMs } from './gather.ts'

test.each([
  [1, 0],
  [3, 0],
  [4, 1],
  [11, 2],
  [16, 4],
  [1_000, 4],
])('a call after one with %i callers waits %i ms for others', (callers, ms) => {
  expect(gatherMs(callers)).toBe(ms)
})
