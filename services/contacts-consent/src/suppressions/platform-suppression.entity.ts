import { defineEntity, p } from '@mikro-orm/core'
import { columns, kyselyOf, prepared, sql, statement, unplanned, type Em } from '@lettergate/database'
import { hashAddress } from '../values/address-hash.ts'
import type { KeyRing } from '../values/key-ring.ts'

/**
 * Addresses that no workspace of the platform may mail. The table belongs to no tenant and has no evidence of a tenant. If an
 * address was erased in every workspace, only its keyed hash is stored, and `normalized_email` is `erased:<id>`.
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
 * Replaces this address by its keyed hash, unless a workspace still has a contact with it. Then the address stays until that
 * contact is deleted. The erased or deleted contact must be deleted before this call. Only erased addresses are replaced: a
 * workspace cannot delete a contact with a platform suppression of its own, only erase it. Answers nothing, because the result
 * depends on other tenants.
 */
export async function hashPlatformAddress(em: Em, keys: KeyRing, normalizedEmail: string): Promise<void> {
  const hash = hashAddress(keys, null, normalizedEmail)
  // Locked first: a concurrent writer of a contact with this address takes the same lock, so the statement below sees it.
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

/** Restores the addresses of new contacts in the platform suppressions that apply to them. */
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
    prepared(sql`select id, address_hmac from platform_suppressions
         where resolved_at is null and (normalized_email = any(${unplanned(known, 'text[]')}) or address_hmac = any(${unplanned(hashes, 'bytea[]')}))
         order by id for update`),
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
