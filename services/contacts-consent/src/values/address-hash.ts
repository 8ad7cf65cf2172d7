import { createHmac, type KeyObject } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/** The keyed hash of an address, with the key that made it. */
export interface AddressHash {
  keyId: string
  hmac: Buffer
}

/** Of one workspace, so that two workspaces cannot find out that they erased the same person; null is the whole platform. */
type Scope = string | null

const hmacOf = (key: KeyObject, scope: Scope, normalizedEmail: string) =>
  createHmac('sha256', key)
    .update(`lettergate erased address v1\0${scope ?? 'platform'}\0${normalizedEmail}`)
    .digest()

/** Tells whether a key is the one it was, and nothing else about it. */
export const keyFingerprint = (key: KeyObject): Buffer =>
  createHmac('sha256', key).update('lettergate erasure hash key v1').digest()

/** HMAC-SHA256 with the first key: what is kept of an address that is erased. */
export const hashAddress = (keys: KeyRing, scope: Scope, normalizedEmail: string): AddressHash => ({
  keyId: keys.signing.kid,
  hmac: hmacOf(keys.signing.key, scope, normalizedEmail),
})

/** Every hash that this address can have been kept under: one for each key. */
export const possibleHashes = (keys: KeyRing, scope: Scope, normalizedEmail: string): Buffer[] =>
  [...keys.byKid.values()].map((key) => hmacOf(key, scope, normalizedEmail))
