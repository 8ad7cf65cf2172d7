import { describe, expect, test } from '@jest/globals'
import { parseDomainName } from './domain-name.ts'

const longest = `${'a'.repeat(61)}.${'b'.repeat(61)}.${'c'.repeat(61)}.${'d'.repeat(59)}.example`

describe('domain names', () => {
  test.each([
    ['mail.acme.test', 'mail.acme.test'],
    ['MAIL.Acme.Test', 'mail.acme.test'],
    ['mail.acme.test.', 'mail.acme.test'],
    ['  mail.acme.test ', 'mail.acme.test'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example。', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['acme.co.uk', 'acme.co.uk'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [longest, longest],
  ])('%j has one canonical form', (typed, name) => {
    expect(parseDomainName(typed, 'domain_name')).toBe(name)
  })

  test.each([
    '',
    '.',
    'localhost',
    'com',
    'co.uk',
    'github.io',
    'mail..acme.test',
    '.acme.test',
    'mail.acme.test..',
    'mail_box.acme.test',
    '_dmarc.acme.test',
    '-mail.acme.test',
    'mail-.acme.test',
    'mail acme.test',
    'mail.acme.test/path',
    'http://mail.acme.test',
    'user@acme.test',
    'mail.acme.test:25',
    'ex%61mple.com',
    '127.0.0.1',
    '[::1]',
    '0x7f.1',
    'xn--a.example',
    `${'a'.repeat(64)}.example`,
    `a${longest}`,
    'a\u0000b.example',
    '\ud800.example',
    'x'.repeat(100_000),
  ])('no %# is refused naming the field: %.60s', (typed) => {
    expect(() => parseDomainName(typed, 'domain_name')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', reason: 'domain_name' }),
    )
  })
})
