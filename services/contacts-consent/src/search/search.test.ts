import { expect, test } from '@jest/globals'
import { parseSearch } from './search.ts'

test.each([
  [undefined, null],
  [' Ada ', { beginning: 'ada' }],
  ['ÅSA', { beginning: 'åsa' }],
  ['ada@B.test', { beginning: 'ada@b.test' }],
  ['@B.Test', { domain: 'b.test' }],
  ['@bücher.test', { domain: 'xn--bcher-kva.test' }],
  ['@', { domain: '' }],
  ['@not a domain', { domain: 'not a domain' }],
])('%j searches for %j', (given, wanted) => {
  expect(parseSearch(given)).toEqual(wanted)
})

test('a blank, too long or unstorable search is refused', () => {
  for (const given of [' ', 'x'.repeat(501), 'a\u0000']) expect(() => parseSearch(given)).toThrow(/search/)
})
