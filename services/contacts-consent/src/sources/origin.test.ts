import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { originOf, originsMax, parseOrigins } from './origin.ts'

test.each([
  ['https://example.com', 'https://example.com'],
  ['HTTPS://Example.COM', 'https://example.com'],
  ['https://example.com:443', 'https://example.com'],
  ['http://example.com:80', 'http://example.com'],
  ['http://example.com:443', 'http://example.com:443'],
  ['https://example.com:8443', 'https://example.com:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://BÜCHER.example', 'https://xn--bcher-kva.example'],
  ['http://localhost:5173', 'http://localhost:5173'],
  ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
  ['https://[::1]:8443', 'https://[::1]:8443'],
])('%s is the origin %s', (given, expected) => {
  expect(originOf(given)).toBe(expected)
})

test.each([
  'null',
  '',
  'example.com',
  '//example.com',
  'https://',
  'https://example.com/',
  'https://example.com/path',
  'https://example.com?x',
  'https://example.com#x',
  'https://user@example.com',
  'https://user:secret@example.com',
  'https://example.com\\evil',
  'https://exa mple.com',
  ' https://example.com',
  'https://example.com\n',
  'https://example.com\u0000',
  'https://%65xample.com',
  'https://*.example.com',
  'https://example..com',
  'https://example.com.',
  'https://example.com:99999',
  'ftp://example.com',
  'javascript:alert(1)',
  'file:///etc/passwd',
  `https://${'a'.repeat(64)}.example`,
  `https://${'a.'.repeat(300)}example`,
])('%j is not an origin', (given) => {
  expect(originOf(given)).toBeUndefined()
})

test('the list has each origin once, and an invalid entry is refused with its position', () => {
  expect(parseOrigins(['https://a.example', 'HTTPS://A.example:443', 'https://b.example'])).toEqual([
    'https://a.example',
    'https://b.example',
  ])
  expect(() => parseOrigins([])).toThrow(/^allowed_origins /)
  expect(() => parseOrigins(['https://a.example', 'null'])).toThrow(/^allowed_origins\[1\] /)
  const many = Array.from({ length: originsMax + 1 }, (_, n) => `https://a${n}.example`)
  expect(() => parseOrigins(many)).toThrow(/^allowed_origins /)
})

const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/)
const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => [...labels, 'example'].join('.'))
const scheme = fc.constantFrom('http', 'https')
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined })
const anyCase = (text: string, upper: readonly boolean[]) =>
  Array.from(text, (char, index) => (upper[index % upper.length] ? char.toUpperCase() : char)).join('')

test('the canonical form equals that of a browser, is stable, and does not depend on the spelling', () => {
  fc.assert(
    fc.property(scheme, host, port, fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }), (s, h, p, upper) => {
      const plain = `${s}://${h}${p === undefined ? '' : `:${p}`}`
      const found = originOf(plain)
      fc.pre(URL.canParse(plain)) // some labels look like broken punycode
      expect(found).toBe(new URL(plain).origin)
      expect(originOf(found!)).toBe(found)
      expect(originOf(anyCase(plain, upper))).toBe(found)
      const defaultPort = s === 'https' ? 443 : 80
      if (p === undefined) expect(originOf(`${plain}:${defaultPort}`)).toBe(found)
    }),
    { numRuns: 1_000 },
  )
})

test('an accepted origin has no path, no user and no ambiguous part', () => {
  const tail = fc.constantFrom('', '/', '?q', '#f', ':1', ':443', '@evil.example', '\\x', ' ', '.', '%2e', '\t')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.tuple(scheme, host, tail, tail).map((p) => `${p[0]}://${p.slice(1).join('')}`),
      ),
      (text) => {
        const found = originOf(text)
        if (found === undefined) return
        const url = new URL(text)
        expect(found).toBe(url.origin)
        expect([url.username, url.password, url.search, url.hash, url.pathname]).toEqual(['', '', '', '', '/'])
        expect(text).toMatch(/^https?:\/\/[^/?#@\s\\%]+$/i)
      },
    ),
    { numRuns: 3_000 },
  )
})
