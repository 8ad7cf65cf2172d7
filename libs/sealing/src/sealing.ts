import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Variable } from '@lettergate/service/config'

/** Keys by id. The first key encrypts, all keys decrypt. Empty when no key is configured; then nothing can be sealed. */
export type SealingKeys = ReadonlyMap<string, Buffer>

/** Parses `kid:base64url,…` with keys of 256 bits. Errors do not contain a key. */
export function parseSealingKeys(text: string): SealingKeys {
  const keys = new Map<string, Buffer>()
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [kid = '', encoded = '', ...rest] = entry.trim().split(':')
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(kid) || rest.length > 0 || !/^[A-Za-z0-9_-]+$/.test(encoded))
      throw new Error('must be a comma list of kid:base64url')
    const key = Buffer.from(encoded, 'base64url')
    if (key.length !== 32) throw new Error('must hold keys of 256 bits')
    if (keys.has(kid)) throw new Error('must not name a kid twice')
    keys.set(kid, key)
  }
  return keys
}

/** The variable of a service that holds such keys; empty by default. */
export const sealingKeys = (name: string): Variable<SealingKeys> => ({
  name,
  secret: true,
  fallback: '',
  parse: parseSealingKeys,
})

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Encrypts a value with the first key. `boundTo` names the row; for another row it cannot be decrypted. Throws without a key. */
export function seal(keys: SealingKeys, boundTo: string, value: Uint8Array): string {
  const [first] = keys
  if (!first) throw new Error('there is no key to seal with')
  const [kid, key] = first
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(value), cipher.final()])
  return `${kid}:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

/** Decrypts the value. Undefined when its key is not configured any more, or when the row was changed. */
export function open(keys: SealingKeys, boundTo: string, sealed: string): Buffer | undefined {
  const [kid = '', encoded = ''] = sealed.split(':')
  const key = keys.get(kid)
  const packed = Buffer.from(encoded, 'base64url')
  if (!key || packed.length < nonceBytes + tagBytes) return undefined
  try {
    const decipher = createDecipheriv(algorithm, key, packed.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(boundTo))
      .setAuthTag(packed.subarray(nonceBytes, nonceBytes + tagBytes))
    return Buffer.concat([decipher.update(packed.subarray(nonceBytes + tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}
