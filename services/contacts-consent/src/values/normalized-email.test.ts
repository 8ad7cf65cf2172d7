import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { deliverableAddress, maskedEmail, parseEmail } from './normalized-email.ts'

test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['  ada@example.com\n', 'ada@example.com'],
  ['a.b@gmail.com', 'a.b@gmail.com'],
  ['a+tag@gmail.com', 'a+tag@gmail.com'],
  ["o'neil@example.com", "o'neil@example.com"],
  ['x@München.de', 'x@xn--mnchen-3ya.de'],
  ['x@xn--mnchen-3ya.de', 'x@xn--mnchen-3ya.de'],
  ['x@faß.de', 'x@xn--fa-hia.de'],
  ['x@日本。jp', 'x@xn--wgv71a.jp'],
  ['x@mail.acme.test', 'x@mail.acme.test'],
])('%j is normalized to %s', (given, normalized) => {
  expect(parseEmail(given).normalizedEmail).toBe(normalized)
})

test('an invalid address is refused with the name of the field', () => {
  expect(() => parseEmail('ada')).toThrow(expect.objectContaining({ code: 'invalid_argument', reason: 'email' }))
})

describe('for any text', () => {
  const local = fc.stringMatching(/^[A-Za-z0-9.+'_-]{1,20}$/)
  const label = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    fc.constantFrom('xn--', 'xn--a', 'ß', '１', '。'),
  )
  const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(local, domain).map(([name, host]) => `${name}@${host}`),
  )

  test('normalizing twice changes nothing more, or the text is refused with the name of the field', () => {
    fc.assert(
      fc.property(anything, (text) => {
        let once: string
        try {
          once = parseEmail(text).normalizedEmail
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_argument', reason: 'email' })
          return
        }
        expect(parseEmail(once)).toEqual({ email: once, normalizedEmail: once })
        expect(once).toMatch(/^[\x21-\x7e]+$/)
        expect(once).toBe(once.toLowerCase())
      }),
      { numRuns: 5_000 },
    )
  })
})

test('a provider gets the name as written and the domain in punycode', () => {
  const { email, normalizedEmail } = parseEmail(' Ada.L@München.de')
  expect(deliverableAddress(email, normalizedEmail)).toBe('Ada.L@xn--mnchen-3ya.de')
})

test('a masked address shows the first character and the domain', () => {
  expect(maskedEmail('ada@example.com')).toBe('a***@example.com')
})
