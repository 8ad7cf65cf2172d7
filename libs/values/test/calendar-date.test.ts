import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isCalendarDate } from '../src/calendar-date.ts'

test.each(['2024-02-29', '0001-01-01', '9999-12-31', '2000-02-29', '2026-02-28'])('%s is a date', (text) => {
  expect(isCalendarDate(text)).toBe(true)
})

test.each([
  '0000-01-01',
  '1900-02-29',
  '2026-02-29',
  '2023-04-31',
  '2023-13-01',
  '2023-00-01',
  '2023-01-00',
  '2026-2-1',
  '+275760-01-01',
  ' 2026-01-01',
])('%s is not a date', (text) => {
  expect(isCalendarDate(text)).toBe(false)
})

test('a text is a date exactly when JavaScript formats that date in the same way', () => {
  const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`))
  fc.assert(
    fc.property(digits(4), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }), (year, month, day) => {
      const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      const at = new Date(`${text}T00:00:00Z`)
      const exists = year !== '0000' && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
      expect(isCalendarDate(text)).toBe(exists)
    }),
    { numRuns: 2_000 },
  )
})
