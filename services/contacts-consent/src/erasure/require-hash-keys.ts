import type { Ctx } from '../ctx.ts'
import { storeFingerprints } from './erasure-hash-key.entity.ts'
import { hashKeysInUse } from './erasure.entity.ts'
import { keyFingerprint } from '../values/address-hash.ts'

/**
 * Throws if ERASURE_HASH_KEYS lacks a key of a stored hash, or if a key has a new secret. Otherwise a new contact with an erased
 * address would not be recognised and could be mailed.
 */
export async function requireHashKeys(ctx: Ctx): Promise<void> {
  const { byKid } = ctx.config.erasureHashKeys
  const fingerprints = [...byKid].map(([keyId, key]) => ({ keyId, fingerprint: keyFingerprint(key) }))
  await ctx.tx(async (em) => {
    const missing = (await hashKeysInUse(em)).map(({ key_id }) => key_id).filter((keyId) => !byKid.has(keyId))
    if (missing.length > 0)
      throw new Error(
        `ERASURE_HASH_KEYS lacks ${missing.join(', ')}, which is needed to recognise erased people; add it at the end of the list`,
      )
    const changed = await storeFingerprints(em, fingerprints)
    if (changed.length > 0)
      throw new Error(
        `ERASURE_HASH_KEYS has another secret than before under ${changed.join(', ')}; put the old secret back, and give a new one an id of its own`,
      )
  })
}
