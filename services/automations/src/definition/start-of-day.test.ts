import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { startOfDay } from './start-of-day.ts'

test.each([
  ['2027-01-31', undefined, '2027-01-31T00:00:00.000Z'],
  ['2027-01-31', '', '2027-01-31T00:00:00.000Z'],
  ['2027-01-31', 'Mars/Olympus', '2027-01-31T00:00:00.000Z'],
  ['2027-01-31', 'Europe/Berlin', '2027-01-30T23:00:00.000Z'],
  ['2027-07-31', 'Europe/Berlin', '2027-07-30T22:00:00.000Z'],
  // both days on which the clock of Berlin changes begin at the offset of the day before
  ['2027-03-28', 'Europe/Berlin', '2027-03-27T23:00:00.000Z'],
  ['2027-10-31', 'Europe/Berlin', '2027-10-30T22:00:00.000Z'],
  ['2027-01-31', 'Pacific/Kiritimati', '2027-01-30T10:00:00.000Z'],
  ['2027-01-31', 'Pacific/Pago_Pago', '2027-01-31T11:00:00.000Z'],
  ['2027-01-31', 'Asia/Kathmandu', '2027-01-30T18:15:00.000Z'],
  // the clock was put forward at midnight, so this day began at one o'clock
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  // this date did not exist there
  ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('%s in %s begins at %s', (date, timezone, expected) => {
  expect(startOfDay(date, timezone).toISOString()).toBe(expected)
})

test('in every time zone, a day begins within a day of UTC, and after the day before it', () => {
  const date = fc.date({ min: new Date('1971-01-02'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(date, fc.constantFrom(...Intl.supportedValuesOf('timeZone')), (at, timezone) => {
      const day = at.toISOString().slice(0, 10)
      const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
      const begins = startOfDay(day, timezone).getTime()
      expect(Math.abs(begins - Date.parse(`${day}T00:00:00Z`))).toBeLessThanOrEqual(86_400_000)
      expect(startOfDay(next, timezone).getTime()).toBeGreaterThanOrEqual(begins)
    }),
    { numRuns: 300 },
  )
})
