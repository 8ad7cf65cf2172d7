import { expect, test } from '@jest/globals'
import { hashAddress, possibleHashes } from './address-hash.ts'
import { parseKeyRing } from './key-ring.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url')
const old = parseKeyRing(`e1:${key(1)}`)
const rotated = parseKeyRing(`e2:${key(2)},e1:${key(1)}`)

test('an address that was hashed with an old key is found while the key is in the list', () => {
  const { keyId, hmac } = hashAddress(old, 'w', 'ada@example.com')
  expect(keyId).toBe('e1')
  expect(possibleHashes(rotated, 'w', 'ada@example.com').some((one) => one.equals(hmac))).toBe(true)
  expect(possibleHashes(parseKeyRing(`e2:${key(2)}`), 'w', 'ada@example.com').some((one) => one.equals(hmac))).toBe(
    false,
  )
  expect(hashAddress(rotated, 'w', 'ada@example.com').keyId).toBe('e2')
})

test('two workspaces and the platform have different hashes of one address', () => {
  const hashes = ['w', 'x', null].map((scope) => hashAddress(old, scope, 'ada@example.com').hmac.toString('hex'))
  expect(new Set(hashes).size).toBe(3)
})

test('different addresses have different hashes', () => {
  const hash = (address: string) => hashAddress(old, 'w', address).hmac
  expect(hash('ada@example.com').equals(hash('adb@example.com'))).toBe(false)
})
