import { expect, test } from '@jest/globals'
import { eventInWords } from './event-words.ts'

test.each([
  ['delivered', null, 'Delivered'],
  ['failed', 'temporary', 'Not delivered yet'],
  ['failed', 'permanent', 'Not delivered, and not tried again'],
  ['complained', null, 'Marked as spam'],
] as const)('an event %s (%s) reads %s', (event, severity, words) => {
  expect(eventInWords({ event, severity })).toBe(words)
})
