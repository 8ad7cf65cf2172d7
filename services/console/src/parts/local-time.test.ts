import { expect, test } from '@jest/globals'
import { inputOf, momentOf } from './local-time.ts'

test('a moment and its value of an input are the same time, in UTC and in the zone of the browser', () => {
  expect(inputOf('2026-05-03T10:15:30Z', true)).toBe('2026-05-03T10:15')
  expect(momentOf('2026-05-03T10:15', true)).toBe('2026-05-03T10:15:00.000Z')
  expect(momentOf(inputOf('2026-05-03T10:15:30Z', false), false)).toBe('2026-05-03T10:15:00.000Z')
})

test('what is no moment is nothing', () => {
  expect(inputOf('', true)).toBe('')
  expect(inputOf('soon', false)).toBe('')
  expect(momentOf('', true)).toBe('')
  expect(momentOf('', false)).toBe('')
})
