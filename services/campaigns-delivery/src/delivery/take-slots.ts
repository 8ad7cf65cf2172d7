import { row, sql, type Em } from '@lettergate/database'
import type { Line } from '../db/connection-holds.ts'
import type { BatchKey, IntendedHandOff } from './intent.ts'

/** Calls that want to be made, and what is written down of each. */
export interface WantedCalls {
  key: BatchKey
  line: Line
  region: string
  credentialEnvKey: string
  judgedAt: string
  /** calls of one connection at once, over all workers */
  atOnce: number
}

/** How often a slot is looked for again that somebody took between our looking and our taking. */
const attempts = 3

/**
 * Writes down the first of these calls that a slot of their connection is free for, and answers them. That no slot is given
 * twice is the unique index's doing; free ones are tried in any order and none is waited for.
 */
export async function takeSlots(em: Em, wanted: WantedCalls, calls: IntendedHandOff[]): Promise<IntendedHandOff[]> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { free, taken } = await tryOnce(em, wanted, calls)
    if (taken.length > 0 || free === 0) return calls.filter(({ id }) => taken.includes(id))
  }
  return []
}

async function tryOnce(
  em: Em,
  { key, line, region, credentialEnvKey, judgedAt, atOnce }: WantedCalls,
  calls: IntendedHandOff[],
): Promise<{ free: number; taken: string[] }> {
  const { workspaceId, connectionId, domainName } = line
  const found = await row<{ free: number; taken: string[] }>(
    em,
    sql`with looked_for as (
          select n::smallint as slot from generate_series(1, ${atOnce}::integer) as n
           where not exists (select from hand_offs h where h.workspace_id = ${workspaceId} and h.connection_id = ${connectionId} and h.state = 'claimed' and h.slot = n)
           order by random() offset 0),
        free as (
          select slot, row_number() over () as n from (
            select slot from looked_for where pg_try_advisory_xact_lock(hashtextextended('slot ' || slot || ' ' || ${connectionId}::text, 0)) limit ${calls.length}) as any_of_them),
        taken as (
          insert into hand_offs (workspace_id, id, run_id, batch, connection_id, domain_name, region, credential_env_key, recipient_count, judged_at, slot)
          select ${workspaceId}::uuid, t.id, ${key.runId}::uuid, ${key.batch}::integer, ${connectionId}::uuid, ${domainName}, ${region}, ${credentialEnvKey}, t.size, ${judgedAt}::timestamptz, free.slot
            from unnest(${calls.map(({ id }) => id)}::uuid[], ${calls.map(({ messageIds }) => messageIds.length)}::integer[]) with ordinality as t (id, size, n) join free using (n)
          on conflict (workspace_id, connection_id, slot) where state = 'claimed' do nothing
          returning id)
        select (select count(*)::int from free) as free, array(select id::text from taken) as taken`,
  )
  return found!
}
