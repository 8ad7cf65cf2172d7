import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  isAged,
  linkUrls,
  readPreferenceToken,
  repeatedUseId,
  signPreferenceToken,
  type PreferenceClaim,
} from './preference-token.ts'
import { parseKeyRing } from '../values/key-ring.ts'

const key = (kid: string) => `${kid}:${randomBytes(32).toString('base64url')}`
const [old, fresh] = [key('2025'), key('2026')]
const ring = parseKeyRing(old)
const invalid = expect.objectContaining({ code: 'invalid_argument', reason: 'invalid_token' })
const claimed = (part: Partial<PreferenceClaim> = {}): PreferenceClaim => ({
  workspaceId: randomUUID(),
  contactId: randomUUID(),
  audienceId: randomUUID(),
  issuedAt: new Date('2026-01-01T00:00:00Z'),
  ...part,
})

const claims = fc.record({
  workspaceId: fc.uuid(),
  contactId: fc.uuid(),
  audienceId: fc.option(fc.uuid()),
  issuedAt: fc.integer({ min: 0, max: 2 ** 40 }).map((seconds) => new Date(seconds * 1000)),
})

test('a signed claim is read back unchanged, to the second', () => {
  fc.assert(
    fc.property(claims, (claim) => {
      const token = signPreferenceToken(ring, claim)
      expect(token).toMatch(/^[A-Za-z0-9_.-]+$/)
      expect(readPreferenceToken(ring, token)).toEqual(claim)
    }),
  )
})

test('a token with any deletion, insertion or replacement is refused', () => {
  fc.assert(
    fc.property(
      claims,
      fc.nat(),
      fc.nat({ max: 8 }),
      fc.string({ maxLength: 8, unit: 'binary' }),
      (claim, at, cut, put) => {
        const token = signPreferenceToken(ring, claim)
        const from = at % (token.length + 1)
        const other = token.slice(0, from) + put + token.slice(from + cut)
        fc.pre(other !== token)
        expect(() => readPreferenceToken(ring, other)).toThrow(invalid)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a token cut at any place, or made longer by any character, is refused', () => {
  const token = signPreferenceToken(ring, claimed())
  for (let length = 0; length < token.length; length += 1) {
    expect(() => readPreferenceToken(ring, token.slice(0, length))).toThrow(invalid)
    expect(() => readPreferenceToken(ring, token.slice(token.length - length))).toThrow(invalid)
  }
  for (let code = 0; code < 256; code += 1) {
    expect(() => readPreferenceToken(ring, token + String.fromCharCode(code))).toThrow(invalid)
    expect(() => readPreferenceToken(ring, String.fromCharCode(code) + token)).toThrow(invalid)
  }
})

test('a token with another kid or with a part of another token is refused', () => {
  const both = parseKeyRing(`${fresh},${old}`)
  fc.assert(
    fc.property(claims, claims, fc.string({ maxLength: 32 }), (one, two, kid) => {
      const [a, b] = [signPreferenceToken(both, one).split('.'), signPreferenceToken(ring, two).split('.')]
      for (const part of [0, 1, 2]) {
        const mixed = a.with(part, b[part]!).join('.')
        if (a[part] !== b[part]) expect(() => readPreferenceToken(both, mixed)).toThrow(invalid)
      }
      if (kid !== '2026') expect(() => readPreferenceToken(both, a.with(0, kid).join('.'))).toThrow(invalid)
    }),
  )
})

test('the same claim under a ring that has the kid but another key is refused', () => {
  fc.assert(
    fc.property(claims, fc.uint8Array({ minLength: 32, maxLength: 32 }), (claim, bytes) => {
      const other = parseKeyRing(`2025:${Buffer.from(bytes).toString('base64url')}`)
      expect(() => readPreferenceToken(other, signPreferenceToken(ring, claim))).toThrow(invalid)
      expect(() => readPreferenceToken(ring, signPreferenceToken(other, claim))).toThrow(invalid)
    }),
  )
})

test('any flipped bit is refused', () => {
  for (const claim of [claimed(), claimed({ audienceId: null })]) {
    const token = signPreferenceToken(ring, claim)
    for (let at = 0; at < token.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped =
          token.slice(0, at) + String.fromCharCode(token.charCodeAt(at) ^ (1 << bit)) + token.slice(at + 1)
        expect(() => readPreferenceToken(ring, flipped)).toThrow(invalid)
      }
    }
  }
})

test('another spelling of the same signature, padding or a longer token is refused', () => {
  const token = signPreferenceToken(ring, claimed())
  const [kid, payload, signature] = token.split('.') as [string, string, string]
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet[alphabet.indexOf(signature.at(-1)!) ^ 1]!
  for (const other of [
    `${kid}.${payload}.${signature.slice(0, -1)}${last}`,
    `${token}=`,
    `${token}.`,
    `.${payload}.${signature}`,
    `${kid}.${signature}.${payload}`,
    token.slice(0, -1),
    `${token}${'A'.repeat(300)}`,
    '',
    '..',
    '__proto__..',
  ]) {
    expect(() => readPreferenceToken(ring, other)).toThrow(invalid)
  }
})

test('old keys in the ring verify after a new key signs; keys outside the ring do not', () => {
  const before = signPreferenceToken(ring, claimed())
  const rotated = parseKeyRing(`${fresh},${old}`)
  const after = signPreferenceToken(rotated, claimed())
  expect(after.startsWith('2026.')).toBe(true)
  expect(() => readPreferenceToken(rotated, before)).not.toThrow()
  expect(() => readPreferenceToken(rotated, after)).not.toThrow()
  expect(() => readPreferenceToken(ring, after)).toThrow(invalid)
  expect(() => readPreferenceToken(parseKeyRing(key('2025')), before)).toThrow(invalid)
})

test('a token has fewer than 180 characters: ids and no personal data', () => {
  const token = signPreferenceToken(ring, claimed())
  expect(token.length).toBeLessThan(180)
})

test('a link is aged only after the maximum age', () => {
  const claim = claimed()
  const after = (seconds: number) => new Date(claim.issuedAt.getTime() + seconds * 1000)
  expect(isAged(claim, after(60), 60)).toBe(false)
  expect(isAged(claim, after(61), 60)).toBe(true)
})

test('repeated uses of one link on one day (UTC) have the same UUIDv7; another link or day has another id', () => {
  const [claim, noon] = [claimed(), new Date('2026-02-03T12:00:00Z')]
  const id = repeatedUseId(claim, noon)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(repeatedUseId({ ...claim }, new Date('2026-02-03T00:00:00Z'))).toBe(id)
  expect(repeatedUseId({ ...claim }, new Date('2026-02-03T23:59:59.999Z'))).toBe(id)
  const others = [
    repeatedUseId(claim, new Date('2026-02-04T00:00:00Z')),
    repeatedUseId({ ...claim, contactId: claim.workspaceId }, noon),
    repeatedUseId({ ...claim, issuedAt: new Date(claim.issuedAt.getTime() + 1_000) }, noon),
    repeatedUseId({ ...claim, audienceId: null }, noon),
  ]
  expect(new Set([id, ...others]).size).toBe(5)
})

test('the page and the one-click target carry the same token', () => {
  expect(linkUrls('https://x.test', 't')).toEqual({
    preferenceUrl: 'https://x.test/preferences/t',
    oneClickUrl: 'https://x.test/preferences/one-click/t',
  })
})
