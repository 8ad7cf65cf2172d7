import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { fingerprintOfPublicKey, isSignedBy, parseProofKeys, signText } from './proof-signing-keys.ts'

const seed = (byte: number) => Buffer.alloc(32, byte).toString('base64url')

test('a seed gives the key of RFC 8032', () => {
  const [key] = parseProofKeys(
    `p1:${Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex').toString('base64url')}`,
  )
  const der = Buffer.from(key.publicKey, 'base64')
  expect(der.subarray(12).toString('hex')).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a')
  expect(key.fingerprint).toBe(createHash('sha256').update(der).digest('hex'))
  expect(fingerprintOfPublicKey(key.publicKey)).toBe(key.fingerprint)
})

test('the first key signs, and another text, key or spelling of the signature is refused', () => {
  const [key, older] = parseProofKeys(`p2:${seed(2)},p1:${seed(1)}`)
  expect([key.keyId, older!.keyId]).toEqual(['p2', 'p1'])
  const signature = signText(key, 'text')
  expect(isSignedBy(key.publicKey, 'text', signature)).toBe(true)
  expect(isSignedBy(key.publicKey, 'text ', signature)).toBe(false)
  expect(isSignedBy(older!.publicKey, 'text', signature)).toBe(false)
  expect(isSignedBy(key.publicKey, 'text', signature.toUpperCase())).toBe(false)
  expect(isSignedBy(` ${key.publicKey}`, 'text', signature)).toBe(false)
  expect(isSignedBy('x', 'text', signature)).toBe(false)
})

test.each([
  ['not a list', 'p1', 'must be a comma list'],
  ['a short seed', `p1:${Buffer.alloc(31).toString('base64url')}`, 'seeds of 256 bits'],
  ['a long seed', `p1:${Buffer.alloc(64).toString('base64url')}`, 'seeds of 256 bits'],
  ['a key_id twice', `p1:${seed(1)},p1:${seed(2)}`, 'must not name a key_id twice'],
])('%s is refused without showing a key', (_, text, message) => {
  expect(() => parseProofKeys(text)).toThrow(message)
  try {
    parseProofKeys(text)
  } catch (error) {
    expect(String(error)).not.toContain(text)
  }
})
