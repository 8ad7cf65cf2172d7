import { defineEntity, p } from '@mikro-orm/core'
import { columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { hashAddress } from '../values/address-hash.ts'
import type { KeyRing } from '../values/key-ring.ts'

/**
 * Addresses that nobody on the platform may mail. It belongs to no tenant and holds no tenant's evidence. Of an address that
 * was erased in every workspace only the keyed hash is left, and `normalized_email` is `erased:<id>`.
 */
export const PlatformSuppression = defineEntity({
  name: 'PlatformSuppression',
  tableName: 'platform_suppressions',
  properties: {
    id: p.uuid().primary(),
    normalizedEmail: p.text(),
    reason: p.text(),
    createdAt: p.datetime(),
    resolvedAt: p.datetime().nullable(),
    keyId: p.text().nullable(),
    addressHmac: p.blob().nullable(),
  },
})

const hashAddresses = statement('hash-platform-address')

/**
 * Replaces this address by its keyed hash, unless a workspace still has a contact with it; then the address stays for that
 * workspace, and goes with its contact. The contact that is being erased or deleted must be gone already. Only a person who
 * was erased loses the address: who made a platform suppression cannot delete its contact, only erase it. Answers nothing,
 * because what happens depends on other tenants.
 */
export async function hashPlatformAddress(em: Em, keys: KeyRing, normalizedEmail: string): Promise<void> {
  const hash = hashAddress(keys, null, normalizedEmail)
  // Held first: whoever makes a contact with this address meanwhile holds it too, and is seen by the statement below.
  await kyselyOf(em, PlatformSuppression)
    .selectFrom('platform_suppressions')
    .select('id')
    .where('normalized_email', '=', normalizedEmail)
    .orderBy('id')
    .forUpdate()
    .execute()
  await hashAddresses.execute(
    em,
    sql`update platform_suppressions
           set normalized_email = 'erased:' || id,
               key_id = case when resolved_at is null then ${hash.keyId}::text end,
               address_hmac = case when resolved_at is null then ${hash.hmac}::bytea end
         where normalized_email = ${normalizedEmail} and not is_known_anywhere(${normalizedEmail})`,
  )
}

const holdSuppressed = statement('hold-platform-suppressions', columns(PlatformSuppression, 'id', 'address_hmac'))
const restoreAddresses = statement('restore-platform-addresses')

/** Gives these addresses back to the suppressions that hold for them, for contacts that have just been made. */
export async function restoreErasedAddresses(
  em: Em,
  addresses: readonly { normalizedEmail: string; hashes: readonly Buffer[] }[],
): Promise<void> {
  const addressOf = new Map(
    addresses.flatMap(({ normalizedEmail, hashes }) =>
      hashes.map((hash) => [hash.toString('hex'), normalizedEmail] as const),
    ),
  )
  const known = addresses.map(({ normalizedEmail }) => normalizedEmail)
  const hashes = [...addressOf.keys()].map((hex) => Buffer.from(hex, 'hex'))
  const held = await holdSuppressed.rows(
    em,
    sql`select id, address_hmac from platform_suppressions
         where resolved_at is null and (normalized_email = any(${known}::text[]) or address_hmac = any(${hashes}::bytea[]))
         order by id for update`,
  )
  const erased = held.flatMap(({ id, address_hmac }) =>
    address_hmac === null ? [] : [{ id, address: addressOf.get(address_hmac.toString('hex'))! }],
  )
  if (erased.length === 0) return
  await restoreAddresses.execute(
    em,
    sql`update platform_suppressions p set normalized_email = e.address, key_id = null, address_hmac = null
          from unnest(${erased.map(({ id }) => id)}::uuid[], ${erased.map(({ address }) => address)}::text[]) as e (id, address)
         where p.id = e.id`,
  )
}
