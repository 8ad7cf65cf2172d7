import { expect, test } from '@jest/globals'
import { retryInMs } from './item-retry.ts'

test('an item waits longer after each failure, five minutes at most', () => {
  expect([1, 2, 3, 9, 10, 1_000].map((failures) => retryInMs(failures, false))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
})

test('an item that failed because of an outage waits five seconds at most', () => {
  expect([1, 2, 3, 4, 1_000].map((failures) => retryInMs(failures, true))).toEqual([1_000, 2_000, 4_000, 5_000, 5_000])
})
