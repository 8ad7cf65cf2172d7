import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isDate, isDateTime, isEmail, isHttpsUrl, isOrigin } from './formats.ts'

describe('an email address', () => {
  test.each([
    'a@b.test',
    ' a@b.test ',
    'A.b+c@B.Test',
    'info@münchen.test',
    "o'hara@example.ie",
    'x@例え.テスト',
    `${'a'.repeat(64)}@b.test`,
  ])('%j is one', (value) => expect(isEmail(value)).toBe(true))
  test.each([
    '',
    'a',
    '@b.test',
    'a@',
    'a@b',
    'a@b.1',
    'a b@c.test',
    'a@b c.test',
    'a..b@c.test',
    '.a@c.test',
    'a@-b.test',
    'a@b..test',
    'a@b_c.test',
    'a@b.test\nc',
    `${'a'.repeat(65)}@b.test`,
    `a@${'b'.repeat(64)}.test`,
    'a@b%2etest',
    'a@[1.2.3.4]',
    '<a@b.test>',
  ])('%j is none', (value) => expect(isEmail(value)).toBe(false))
})

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

  test('of any valid date is accepted in every offset that keeps it within the years 1 to 9999', () => {
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
  test.each([
    ['2026-02-28', true],
    ['2026-02-29', false],
    ['2026-2-1', false],
  ])('the date %s exists: %s', (value, exists) => expect(isDate(value)).toBe(exists))
})

describe('addresses of the web', () => {
  test.each([
    ['https://example.com/a?b', true],
    ['http://example.com', false],
    ['javascript:alert(1)', false],
    ['https://user:pass@example.com', false],
    ['https://exa mple.com', false],
    ['https:\\\\example.com', false],
  ])('https-url %s: %s', (value, expected) => expect(isHttpsUrl(value)).toBe(expected))
  test.each([
    ['https://example.com', true],
    ['http://localhost:3000', true],
    ['https://example.com/', false],
    ['https://example.com/a', false],
    ['https://example.com?x', false],
    ['https://a@example.com', false],
    ['ftp://example.com', false],
    ['null', false],
  ])('origin %s: %s', (value, expected) => expect(isOrigin(value)).toBe(expected))
})
