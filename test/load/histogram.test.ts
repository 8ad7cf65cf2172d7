import { expect, test } from '@jest/globals'
import { addedSince, quantile, readHistogram } from './histogram.ts'

const text = (counts: [number, number, number]) => `# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.1"} ${counts[0]}
wait_seconds_bucket{le="1"} ${counts[1]}
wait_seconds_bucket{le="+Inf"} ${counts[2]}
wait_seconds_sum 12
wait_seconds_count ${counts[2]}
other_wait_seconds_bucket{le="0.1"} 7
`
const read = (...counts: [number, number, number]) => readHistogram(text(counts), 'wait_seconds')

test('a quantile of several processes is the smallest bound that their values since the first reading do not exceed', () => {
  const since = addedSince([read(10, 10, 10)], [read(60, 99, 100), read(0, 9, 10)])
  expect(since.bounds).toEqual([
    { atMost: 0.1, count: 50 },
    { atMost: 1, count: 98 },
    { atMost: Infinity, count: 100 },
  ])
  expect([quantile(since, 0.5), quantile(since, 0.98), quantile(since, 0.99)]).toEqual([0.1, 1, Infinity])
})

test('a histogram without values has no quantile', () => {
  expect(quantile(addedSince([], []), 0.5)).toBeUndefined()
  expect(quantile(read(0, 0, 0), 0.5)).toBeUndefined()
})
