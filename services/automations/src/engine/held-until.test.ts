import { expect, test } from '@jest/globals'
import { heldUntil } from './held-until.ts'

const now = new Date('2026-09-14T12:00:00Z')
const minute = 60

test.each([
  [0, 10],
  [-5, 10],
  [99, 10],
  [200, 20],
  [10 * minute, 60],
  [50 * minute, 300],
  [7 * 24 * 60 * minute, 300],
])('an email that has waited for %d s is asked for again after %d s', (waited, after) => {
  const arrivedAt = new Date(now.getTime() - waited * 1_000)
  expect(heldUntil(arrivedAt, now)).toEqual(new Date(now.getTime() + after * 1_000))
})
