import { defineEntity, p } from '@mikro-orm/core'
import { arrayOf, kyselyOf, prepared, sql, statement, textsOf, type Em } from '@lettergate/database'

export const ConsumedToken = defineEntity({
  name: 'ConsumedToken',
  tableName: 'consumed_tokens',
  properties: {
    tokenSha256: p.blob().primary(),
    providerEventId: p.string(),
    consumedAt: p.datetime().defaultRaw('now()'),
  },
})

const insertTokens = statement('insert-consumed-tokens')

/**
 * Binds each token to the first event that used it, and returns the event of each token (hash in hex → provider event id).
 * Tokens belong to a signing key, not to a tenant, because workspaces may share a key.
 */
export async function bindTokens(
  em: Em,
  uses: { tokenHash: Buffer; providerEventId: string }[],
): Promise<Map<string, string>> {
  const first = new Map<string, { tokenHash: Buffer; providerEventId: string }>()
  for (const use of uses) {
    const hex = use.tokenHash.toString('hex')
    if (!first.has(hex)) first.set(hex, use)
  }
  // All batches use the same order, so that two batches never deadlock.
  const sorted = [...first.values()].sort((a, b) => a.tokenHash.compare(b.tokenHash))
  const hashes = sorted.map((use) => use.tokenHash)
  const added = await insertTokens.execute(
    em,
    prepared(sql`insert into consumed_tokens (token_sha256, provider_event_id)
        select decode(hash, 'hex'), provider_event_id
          from unnest(${arrayOf(hashes.map((hash) => hash.toString('hex')))}::text[], ${textsOf(sorted.map((use) => use.providerEventId))}::text[]) as t (hash, provider_event_id)
        on conflict do nothing`),
  )
  if (added === sorted.length) return new Map(Array.from(first, ([hex, use]) => [hex, use.providerEventId]))
  const found = await kyselyOf(em, ConsumedToken)
    .selectFrom('consumed_tokens')
    .select(['token_sha256', 'provider_event_id'])
    .where('token_sha256', '=', (eb) => eb.fn.any(eb.val(hashes)))
    .execute()
  return new Map(found.map((token) => [token.token_sha256.toString('hex'), token.provider_event_id]))
}

const deleteTokens = statement('delete-old-consumed-tokens')

/** Deletes old tokens. Their signatures would be refused for their age, because a signature is valid for nine hours. */
export const deleteOldTokens = (em: Em, most: number): Promise<number> =>
  deleteTokens.execute(
    em,
    sql`delete from consumed_tokens where token_sha256 in (
          select token_sha256 from consumed_tokens where consumed_at < now() - interval '24 hours'
           order by consumed_at limit ${most} for update skip locked)`,
  )
