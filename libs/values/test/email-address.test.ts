import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isEmailAddress, parseEmailAddress } from '../src/email-address.ts'

test.each([
  ['a@b.test', 'a', 'b.test'],
  [' Ada.L+x@Example.COM\n', 'Ada.L+x', 'example.com'],
  ["o'hara@example.ie", "o'hara", 'example.ie'],
  ['a%b@b.test', 'a%b', 'b.test'],
  ['x@München.de', 'x', 'xn--mnchen-3ya.de'],
  ['x@xn--mnchen-3ya.de', 'x', 'xn--mnchen-3ya.de'],
  ['x@faß.de', 'x', 'xn--fa-hia.de'],
  ['x@日本。jp', 'x', 'xn--wgv71a.jp'],
  [`${'a'.repeat(64)}@b.test`, 'a'.repeat(64), 'b.test'],
  [`a@${'bcd.'.repeat(62)}test`, 'a', `${'bcd.'.repeat(62)}test`],
])('%j is an address', (given, local, domain) => {
  expect(isEmailAddress(given)).toBe(true)
  expect(parseEmailAddress('from', given)).toEqual({ text: given.trim(), local, domain })
})

test.each([
  '',
  ' ',
  'ada',
  '@example.com',
  'ada@',
  'ada@localhost',
  'ada@example',
  'a b@example.com',
  '"a b"@example.com',
  'åsa@example.com',
  'bo\u212A@example.com',
  '.ada@example.com',
  'ada.@example.com',
  'a..b@example.com',
  'a@b@example.com',
  'ada@exa mple.com',
  'ada@example.com.',
  'ada@-example.com',
  'ada@exa_mple.com',
  'ada@example..com',
  'ada@ex%41mple.com',
  'ada@example.com:25',
  'ada@example.com/x',
  'ada@[127.0.0.1]',
  'ada@127.0.0.1',
  'ada@0x7f.1',
  'ada@1.2.3',
  'ada@xn--a.com',
  'ada\u0000@example.com',
  'ada@exam\u0000ple.com',
  'ada@example.com, eve@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${'bcd.'.repeat(70)}com`,
  `${' '.repeat(400)}a@example.com`,
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
  `abc@${'bcd.'.repeat(62)}test`,
  'Name <a@b.test>',
  'a@b.test\r\nBcc: x@evil.test',
])('%j is refused, and the message names the field', (given) => {
  expect(isEmailAddress(given)).toBe(false)
  expect(() => parseEmailAddress('reply_to', given)).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      reason: 'reply_to',
      message: expect.stringMatching(/^reply_to /),
    }),
  )
})

test('an accepted address is unchanged when it is parsed again, is ASCII and has at most 254 characters', () => {
  const local = fc.stringMatching(/^[A-Za-z0-9.+'_%-]{1,70}$/)
  const label = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9-]{1,64}$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    fc.constantFrom('xn--', 'xn--a', 'ß', '１', '。'),
  )
  const domain = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'))
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(local, domain).map((parts) => parts.join('@')),
  )
  fc.assert(
    fc.property(anything, (given) => {
      if (!isEmailAddress(given)) return expect(() => parseEmailAddress('email', given)).toThrow('email ')
      const once = parseEmailAddress('email', given)
      const text = `${once.local}@${once.domain}`
      expect(parseEmailAddress('email', text)).toEqual({ ...once, text })
      expect(text).toMatch(/^[\x21-\x7e]{3,254}$/)
    }),
    { numRuns: 5_000 },
  )
})
