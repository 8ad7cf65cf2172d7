import type { Ctx } from '../ctx.ts'
import { keepFingerprints } from './erasure-hash-key.entity.ts'
import { hashKeysInUse } from './erasure.entity.ts'
import { keyFingerprint } from '../values/address-hash.ts'

/**
 * Throws when an erased address is kept under a key that ERASURE_HASH_KEYS does not have, or a key has another secret than
 * before: a new contact of that address would not be recognised and could be mailed.
 */
export async function requireHashKeys(ctx: Ctx): Promise<void> {
  const { byKid } = ctx.config.erasureHashKeys
  const fingerprints = [...byKid].map(([keyId, key]) => ({ keyId, fingerprint: keyFingerprint(key) }))
  await ctx.tx(async (em) => {
    const missing = (await hashKeysInUse(em)).map(({ key_id }) => key_id).filter((keyId) => !byKid.has(keyId))
    if (missing.length > 0)
      throw new Error(
        `ERASURE_HASH_KEYS lacks ${missing.join(', ')}, which people who were erased are recognised by; put it back at the end of the list`,
      )
    const changed = await keepFingerprints(em, fingerprints)
    if (changed.length > 0)
      throw new Error(
        `ERASURE_HASH_KEYS has another secret than before under ${changed.join(', ')}; put the old secret back, and give a new one an id of its own`,
      )
  })
}
