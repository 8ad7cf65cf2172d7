import { defineEntity, p } from '@mikro-orm/core'
import { columns, sql, statement, type Em } from '@lettergate/database'

/** The keys that processes have used, each as a hash of a constant, without the secret. */
export const ErasureHashKey = defineEntity({
  name: 'ErasureHashKey',
  tableName: 'erasure_hash_keys',
  properties: {
    keyId: p.text().primary(),
    fingerprint: p.blob(),
  },
})

const insertKeys = statement('insert-hash-keys')
const selectChanged = statement('select-changed-hash-keys', columns(ErasureHashKey, 'key_id'))

/** Stores the fingerprints of new keys, and answers the ids that had another secret before. */
export async function storeFingerprints(
  em: Em,
  keys: readonly { keyId: string; fingerprint: Buffer }[],
): Promise<string[]> {
  const given = sql`unnest(${keys.map(({ keyId }) => keyId)}::text[], ${keys.map(({ fingerprint }) => fingerprint)}::bytea[]) as given (key_id, fingerprint)`
  await insertKeys.execute(
    em,
    sql`insert into erasure_hash_keys (key_id, fingerprint) select key_id, fingerprint from ${given} order by key_id
        on conflict (key_id) do nothing`,
  )
  const changed = await selectChanged.rows(
    em,
    sql`select key_id from erasure_hash_keys kept join ${given} using (key_id)
         where kept.fingerprint <> given.fingerprint order by key_id`,
  )
  return changed.map(({ key_id }) => key_id)
}
