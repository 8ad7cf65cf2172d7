import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault } from '@lettergate/fault'
import { depthMax, refuseUnsafeJson, refuseUnsafeText } from '../src/engine/unsafe-json.ts'

/** The reason for which a body with this JSON text is refused, or undefined. */
function refusalOf(json: string): Fault | undefined {
  try {
    refuseUnsafeJson(json, JSON.parse(json))
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(Fault)
    expect(error).toMatchObject({ code: 'invalid_argument' })
    return error as Fault
  }
}

const nested = (depth: number, inside = '1') => '['.repeat(depth) + inside + ']'.repeat(depth)

test('a document of safe values is accepted, whatever characters it holds', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const json = JSON.stringify(value)
      fc.pre(!json.includes('\\u0000') && !json.includes('__proto__') && !/\\ud[89a-f]/i.test(json))
      expect(refusalOf(json)).toBeUndefined()
    }),
  )
})

test('U+0000 and half of a surrogate pair are refused wherever they stand, with the path of their field', () => {
  const name = fc.stringMatching(/^[a-z_]{1,10}$/).filter((text) => text !== '__proto__')
  const bad = fc.constantFrom(String.raw`\u0000`, String.raw`\ud800`, String.raw`\udfff`, String.raw`a\udc00\ud800b`)
  fc.assert(
    fc.property(name, name, fc.nat({ max: 3 }), bad, (outer, inner, index, text) => {
      const before = '"fine",'.repeat(index)
      const refusal = refusalOf(`{"${outer}":{"${inner}":[${before}"${text}"]}}`)
      expect(refusal?.reason).toBe(`${outer}.${inner}[${index}]`)
    }),
  )
})

test('a property name that cannot be stored is refused', () => {
  for (const json of [String.raw`{"a\u0000":1}`, String.raw`{"x":{"\ud800":1}}`])
    expect(refusalOf(json)).toMatchObject({ reason: 'body' })
})

test('a property named __proto__ is refused at every depth, however it is written, and as a value it is text', () => {
  for (const json of ['{"__proto__":{}}', '{"a":[{"__proto__":1}]}', String.raw`{"\u005f_proto__":1}`])
    expect(refusalOf(json)).toMatchObject({ reason: '__proto__' })
  expect(refusalOf('{"a":"__proto__"}')).toBeUndefined()
})

test('a number that a double cannot hold is refused, and the largest one that it can hold is not', () => {
  for (const number of ['1e309', '-1e309', '1E+400', '9'.repeat(400), `1${'0'.repeat(309)}`, '1e99999'])
    expect(refusalOf(`{"a":${number}}`)).toMatchObject({ reason: 'a' })
  for (const number of ['1e308', '1.7976931348623157e308', '1e-400', '9'.repeat(300), '0.'.padEnd(500, '1')])
    expect(refusalOf(`{"a":${number}}`)).toBeUndefined()
})

test('every number that JSON.parse reads as infinite is refused', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^-?[1-9][0-9]{0,4}(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,4})?$/), (number) => {
      const isFinite = Number.isFinite(JSON.parse(number) as number)
      expect(refusalOf(`[${number}]`) === undefined).toBe(isFinite)
    }),
    { numRuns: 300 },
  )
})

test('a document of the greatest depth is accepted, and one that is deeper is refused', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.boolean(), (depth, isObject) => {
      const json = isObject ? '{"a":'.repeat(depth) + '1' + '}'.repeat(depth) : nested(depth)
      expect(refusalOf(json) === undefined).toBe(depth <= depthMax + 1)
    }),
  )
})

test('a document with many brackets side by side is not deep', () => {
  expect(refusalOf(`[${Array.from({ length: 200 }, () => '[{}]').join()}]`)).toBeUndefined()
})

test('a document that is deeper than any stack is refused without an unexpected error', () => {
  const value: unknown = Array.from({ length: 50_000 }).reduce<unknown>((inside) => [inside], 1)
  expect(() => refuseUnsafeJson(nested(depthMax + 2), value)).toThrow(Fault)
})

test('the message shows at most 120 characters of a long path', () => {
  const refusal = refusalOf(`{"${'x'.repeat(5_000)}":1e400}`)
  expect(refusal!.message.length).toBeLessThan(250)
})

test('a text of one field is refused for the same characters', () => {
  expect(() => refuseUnsafeText('fine \u{1f600}', 'search')).not.toThrow()
  expect(() => refuseUnsafeText('a\u0000', 'search')).toThrow('search must not contain the character U+0000.')
  expect(() => refuseUnsafeText('\ud83d', 'search')).toThrow('search must be valid Unicode text')
})
