import { expect, test } from '@jest/globals'
import { isCalendarDate, isDateTime } from './calendar.ts'

test.each(['2024-02-29', '0001-01-01', '9999-12-31', '2000-02-29'])('%s is a day', (text) => {
  expect(isCalendarDate(text)).toBe(true)
})

test.each(['0000-01-01', '1900-02-29', '2023-04-31', '2023-13-01', '2023-00-01', '2023-01-00', '+275760-01-01'])(
  '%s is none',
  (text) => {
    expect(isCalendarDate(text)).toBe(false)
  },
)

test.each(['2026-01-01T00:00:00Z', '2026-01-01T23:59:59.999999999-11:30'])('%s is a moment', (text) => {
  expect(isDateTime(text)).toBe(true)
})

test.each([
  '2026-01-01',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01t00:00:00z',
  '2026-01-01T00:00:00',
  '2026-02-30T00:00:00Z',
])('%s is none', (text) => {
  expect(isDateTime(text)).toBe(false)
})
