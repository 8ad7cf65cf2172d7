import { expect, test } from '@jest/globals'
import { bucketFor } from './timeline.ts'

const began = new Date(Date.UTC(2026, 10, 21))
const hoursLater = (hours: number) => new Date(began.getTime() + hours * 3_600_000)

test('the timeline is by minute in the first day of a run, by hour afterwards, or as requested', () => {
  expect(bucketFor(undefined, null, began)).toBe('minute')
  expect(bucketFor(undefined, began, hoursLater(24))).toBe('minute')
  expect(bucketFor(undefined, began, hoursLater(25))).toBe('hour')
  expect(bucketFor('minute', began, hoursLater(999))).toBe('minute')
  expect(bucketFor('hour', began, began)).toBe('hour')
  expect(() => bucketFor('day', began, began)).toThrow('bucket must be minute or hour')
})
