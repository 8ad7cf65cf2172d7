import { describe, expect, test } from '@jest/globals'
import { parseSenderAddress } from './email-address.ts'

describe('sender addresses', () => {
  test.each([
    ['news@mail.acme.test', 'news@mail.acme.test'],
    [' News.Desk+a@MAIL.Acme.test ', 'News.Desk+a@mail.acme.test'],
    ['news@bücher.example', 'news@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@acme.test`, `${'a'.repeat(64)}@acme.test`],
  ])('%j is stored with its domain in canonical form', (typed, text) => {
    expect(parseSenderAddress(typed, 'from_address')).toEqual({ text, domain: text.split('@')[1] })
  })

  test.each([
    '',
    'news',
    '@acme.test',
    'news@',
    'news@localhost',
    'a..b@acme.test',
    '.a@acme.test',
    '"a b"@acme.test',
    'a b@acme.test',
    'a@b@acme.test',
    'é@acme.test',
    'news@acme.test.',
    'news@acme.test\r\nBcc: x@evil.test',
    'Name <news@acme.test>',
    // the provider replaces such variables with values of each recipient
    '%recipient.first_name%@acme.test',
    `${'a'.repeat(65)}@acme.test`,
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.test`,
  ])('no %# is refused naming the field: %.60s', (typed) => {
    expect(() => parseSenderAddress(typed, 'from_address')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', reason: 'from_address' }),
    )
  })
})
