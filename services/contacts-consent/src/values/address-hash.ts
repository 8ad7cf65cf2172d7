import { createHmac, type KeyObject } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/** The keyed hash of an address, with the id of its key. */
export interface AddressHash {
  keyId: string
  hmac: Buffer
}

/** The hash includes the workspace, so that two workspaces cannot find out that they erased the same person. Null is the whole platform. */
type Scope = string | null

const hmacOf = (key: KeyObject, scope: Scope, normalizedEmail: string) =>
  createHmac('sha256', key)
    .update(`lettergate erased address v1\0${scope ?? 'platform'}\0${normalizedEmail}`)
    .digest()

/** A fingerprint that shows only whether a key is unchanged. */
export const keyFingerprint = (key: KeyObject): Buffer =>
  createHmac('sha256', key).update('lettergate erasure hash key v1').digest()

/** HMAC-SHA256 with the first key. Only this hash of an erased address is stored. */
export const hashAddress = (keys: KeyRing, scope: Scope, normalizedEmail: string): AddressHash => ({
  keyId: keys.signing.kid,
  hmac: hmacOf(keys.signing.key, scope, normalizedEmail),
})

/** All hashes under which this address may be stored: one for each key. */
export const possibleHashes = (keys: KeyRing, scope: Scope, normalizedEmail: string): Buffer[] =>
  [...keys.byKid.values()].map((key) => hmacOf(key, scope, normalizedEmail))
