import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from '@jest/globals'
import { isFresh, isGenuine, type Signature } from './signature.ts'

const key = 'the-webhook-signing-key'
const make = (timestamp: string, token: string, by = key): Signature => ({
  timestamp,
  token,
  signature: createHmac('sha256', by)
    .update(timestamp + token)
    .digest('hex'),
})

const seconds = fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }).map(String)
const tokens = fc.string({ minLength: 1, maxLength: 60 })

test('a signature of the key is genuine, in lower or upper case', () => {
  fc.assert(
    fc.property(seconds, tokens, (timestamp, token) => {
      const signature = make(timestamp, token)
      expect(isGenuine(signature, key)).toBe(true)
      expect(isGenuine({ ...signature, signature: signature.signature.toUpperCase() }, key)).toBe(true)
    }),
  )
})

test('a signature of another key is not genuine', () => {
  fc.assert(
    fc.property(
      seconds,
      tokens,
      fc.string().filter((other) => other !== key),
      (timestamp, token, other) => {
        expect(isGenuine(make(timestamp, token, other), key)).toBe(false)
      },
    ),
  )
})

test('a genuine signature with any changed part is not genuine', () => {
  fc.assert(
    fc.property(seconds, seconds, tokens, tokens, fc.nat(63), (timestamp, otherTime, token, otherToken, at) => {
      const genuine = make(timestamp, token)
      if (otherTime !== timestamp) expect(isGenuine({ ...genuine, timestamp: otherTime }, key)).toBe(false)
      if (otherToken !== token) expect(isGenuine({ ...genuine, token: otherToken }, key)).toBe(false)
      const flipped = genuine.signature[at] === '0' ? '1' : '0'
      const hex = genuine.signature.slice(0, at) + flipped + genuine.signature.slice(at + 1)
      expect(isGenuine({ ...genuine, signature: hex }, key)).toBe(false)
    }),
  )
})

test('digits cannot be moved between timestamp and token to make another token with the same signature', () => {
  fc.assert(
    fc.property(seconds, tokens, (timestamp, token) => {
      const { signature } = make(timestamp, token)
      const text = timestamp + token
      for (let border = 0; border <= text.length; border += 1) {
        if (border === timestamp.length) continue
        expect(isGenuine({ timestamp: text.slice(0, border), token: text.slice(border), signature }, key)).toBe(false)
      }
    }),
  )
})

test.each(['', 'x', '0'.repeat(63), '0'.repeat(65), 'g'.repeat(64), `${'0'.repeat(63)}\n`])(
  'a signature like %j is not genuine',
  (signature) => {
    expect(isGenuine({ timestamp: '1700000000', token: 't', signature }, key)).toBe(false)
  },
)

test.each([
  ['just now', 0, true],
  ['after the longest retry', 9 * 3600, true],
  ['a second too old', 9 * 3600 + 1, false],
  ['a clock five minutes ahead', -300, true],
  ['a clock further ahead', -301, false],
  ['years old', 1e9 - 1, false],
])('%s: age of %d s is fresh: %s', (_, age, fresh) => {
  const now = new Date(2_000_000_000_000)
  expect(isFresh(make(String(2_000_000_000 - age), 't'), now)).toBe(fresh)
})
