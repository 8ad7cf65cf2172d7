import { hash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { canonicalJson, rowSha256, sealSha256, sha256Of } from '@lettergate/canonical-json'
import canonicalize from 'canonicalize'

const read = (json: string): unknown => JSON.parse(json)

test('the order of fields, blanks and the spelling of a number do not tell two values apart', () => {
  expect(sha256Of(read('{"a":[1,{"b":null,"c":"é"}],"d":1e2}'))).toBe(
    sha256Of(read('{ "d": 100.0, "a": [ 1.0, {"c": "\\u00e9", "b": null} ] }')),
  )
})

test.each([
  ['null and absent', '{"a":null}', '{}'],
  ['the order of a list', '[1,2]', '[2,1]'],
  ['a number and its text', '{"a":1}', '{"a":"1"}'],
  ['composed and decomposed text', '"é"', '"e\\u0301"'],
  ['an empty list and an empty object', '[]', '{}'],
])('%s are told apart', (_, one, other) => {
  expect(sha256Of(read(one))).not.toBe(sha256Of(read(other)))
})

test('fields are ordered as RFC 8785 shows it', () => {
  const given = read('{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}')
  expect(canonicalJson(given)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
})

test('half a million levels cost no stack', () => {
  const depth = 500_000
  expect(canonicalJson(read('['.repeat(depth) + ']'.repeat(depth)))).toHaveLength(2 * depth)
})

test.each([
  ['half a surrogate pair', { a: '\ud800' }],
  ['a number beyond a double', { a: Infinity }],
])('%s has no canonical text', (_, value) => {
  expect(() => canonicalJson(value)).toThrow()
})

test.each([
  ['quotes, backslashes and control characters', { b: 'a "quoted" \\ text\n\u001f', a: '\u007f\u0080é😀' }],
  ['numbers', { a: 1, b: -0, c: 1e21, d: 0.1, e: Number.MAX_SAFE_INTEGER, f: 2 ** 53 }],
  ['lists and objects', { b: [2, { d: null, c: '"' }], a: {}, c: false }],
  ['keys that begin with digits, and unusual ones', { '10': 'a', '9': 'b', __proto__x: 'c', 'é"': 'd', '': 'e' }],
])('the hash of a row is the one of its canonical text without empty columns: %s', (_, row) => {
  const known = read(JSON.stringify(row)) as object
  expect(rowSha256({ ...known, z: null, y: undefined })).toBe(hash('sha256', canonicalize(known)!, 'hex'))
})

test('rows of other tables in between do not change a hash, and an own hash of a seal is not hashed', () => {
  const [one, other] = [{ b: 'x', a: 1 }, { c: 'y' }]
  const [first, second] = [rowSha256(one), rowSha256(other)]
  expect([rowSha256({ a: 1, b: 'x' }), rowSha256(other), rowSha256(one)]).toEqual([first, second, first])
  expect(first).toBe(hash('sha256', '{"a":1,"b":"x"}', 'hex'))
  expect(sealSha256({ sha256: 'z', b: 'x', a: 1, c: null })).toBe(first)
})

test('half a surrogate pair in a row has no hash', () => {
  expect(() => rowSha256({ a: '\ud800' })).toThrow()
})
