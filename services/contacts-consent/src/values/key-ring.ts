import { createSecretKey, type KeyObject } from 'node:crypto'

/** Keys by id. The first key signs, and every key verifies. */
export interface KeyRing {
  readonly signing: { readonly kid: string; readonly key: KeyObject }
  readonly byKid: ReadonlyMap<string, KeyObject>
}

const keyBytesMin = 32
const kidPattern = /^[A-Za-z0-9_-]{1,32}$/

/** Parses `kid:base64url,…`. Refuses keys below 256 bits. The thrown Error does not contain the key. */
export function parseKeyRing(text: string): KeyRing {
  const keys = text.split(',').map((entry) => {
    const [kid = '', encoded = '', ...rest] = entry.trim().split(':')
    if (!kidPattern.test(kid) || rest.length > 0 || !/^[A-Za-z0-9_-]+$/.test(encoded)) {
      throw new Error('must be a comma list of kid:base64url')
    }
    const key = Buffer.from(encoded, 'base64url')
    if (key.length < keyBytesMin) throw new Error(`must hold keys of at least ${keyBytesMin * 8} bits`)
    // Created once, because creating a key from bytes for each link takes longer than the signature.
    return { kid, key: createSecretKey(key) }
  })
  const byKid = new Map(keys.map(({ kid, key }) => [kid, key]))
  if (byKid.size !== keys.length) throw new Error('must not name a kid twice')
  return { signing: keys[0]!, byKid }
}
