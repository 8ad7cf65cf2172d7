import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { dateOf, isDateTime, moment, parseMoment } from '../src/moment.ts'

describe('a moment', () => {
  test.each([
    '2026-01-31T09:00:00Z',
    '2026-01-31t09:00:00z',
    '2028-02-29T23:59:59.999999999+14:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-01-31T09:00:00-00:00',
  ])('%s exists', (value) => expect(isDateTime(value)).toBe(true))
  test.each([
    '2035-02-30T10:00:00Z',
    '2027-02-29T10:00:00Z',
    '1900-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-01-00T10:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T23:60:00Z',
    '2026-06-30T23:59:60Z',
    '2026-01-31 09:00:00Z',
    '2026-01-31T09:00:00',
    '2026-01-31T09:00Z',
    '2026-01-31',
    '2026-01-31T09:00:00+24:00',
    '2026-01-31T09:00:00+99:99',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+275760-09-13T00:00:00Z',
    ' 2026-01-31T09:00:00Z',
    '2026-01-31T09:00:00.Z',
  ])('%s does not', (value) => expect(isDateTime(value)).toBe(false))

  test('of any valid date is accepted with every offset that keeps it within the years 1 to 9999', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('0002-01-01T00:00:00Z'), max: new Date('9998-12-31T00:00:00Z') }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (at, offset) => {
          const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, -1)
          const sign = offset < 0 ? '-' : '+'
          const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
            String(part).padStart(2, '0'),
          )
          expect(isDateTime(`${local}${sign}${hours}:${minutes}`)).toBe(true)
        },
      ),
    )
  })

  test('equals the date that JavaScript parses, or the text is refused', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.stringMatching(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/),
    )
    fc.assert(
      fc.property(anything, (text) => {
        const read = parseMoment(text)
        expect(read !== undefined).toBe(isDateTime(text))
        if (!read) return
        expect(Number(read.seconds) * 1000 + Math.floor(read.nanos / 1_000_000)).toBe(Date.parse(text.toUpperCase()))
      }),
      { numRuns: 2_000 },
    )
  })

  test('keeps its nanoseconds, also before 1970', () => {
    expect(parseMoment('2026-01-31T09:00:00.123456789+02:00')).toEqual({ seconds: 1769842800n, nanos: 123_456_789 })
    expect(parseMoment('1969-12-31T23:59:59.25Z')).toEqual({ seconds: -1n, nanos: 250_000_000 })
  })
})

describe('a time of the database', () => {
  const at = new Date('2026-03-31T09:00:00.123Z')
  test.each([at, at.toISOString()])('%s is a timestamp', (given) => {
    expect(timestampDate(moment(given))).toEqual(at)
  })
  test.each([null, undefined])('%s is undefined', (given) => {
    expect(moment(given)).toBeUndefined()
  })
  test('is converted back to the same date', () => {
    expect(dateOf(timestampFromDate(at))).toEqual(at)
    expect(dateOf(undefined)).toBeNull()
  })
})
