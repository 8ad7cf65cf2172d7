import { column, prepared, sql, statement, unplanned, type Em } from '@lettergate/database'
import type { SendingRoute } from '../connections/connection-hold.entity.ts'
import { isRefusedSince } from '../contacts/heard-refusal.entity.ts'
import { verdictMs, type ClaimedHandOff } from './hand-off.ts'

/** Calls to be claimed, and what is stored with each. */
export interface SlotRequest {
  route: SendingRoute
  region: string
  credentialEnvKey: string
  /** database time before the verdicts were requested */
  judgedAt: string
  /** calls of one connection at once across all workers; null: takes no slot */
  atOnce: number | null
}

export type TakenSlots =
  /** `transactionId`: of the database, by which it knows whether the transaction was committed */
  | { kind: 'taken'; handOffs: ClaimedHandOff[]; transactionId: string }
  /** the verdicts are too old, or a recipient withdrew since; nothing was stored */
  | { kind: 'outdated' }

/** How often to look for a slot again when another worker took it first. */
const attempts = 3

/**
 * Stores as many of these calls as their connection has free slots, and returns them. A unique index prevents two calls from
 * using one slot. Free slots are tried in random order without waiting.
 */
export async function takeSlots(em: Em, request: SlotRequest, calls: readonly ClaimedHandOff[]): Promise<TakenSlots> {
  for (let attempt = 1; ; attempt += 1) {
    const { free, taken, is_outdated, transaction_id: transactionId } = await tryOnce(em, request, calls)
    if (is_outdated) return { kind: 'outdated' }
    if (taken.length > 0 || free === 0 || attempt === attempts)
      return { kind: 'taken', handOffs: calls.filter(({ id }) => taken.includes(id)), transactionId }
  }
}

const slots = ({ route: { workspaceId, connectionId }, atOnce }: SlotRequest, calls: number) =>
  atOnce === null
    ? sql`select null::smallint as slot, n from generate_series(1, ${unplanned(calls, 'integer')}) as n`
    : sql`select slot, row_number() over () as n from (
            select slot from (
              select n::smallint as slot from generate_series(1, ${unplanned(atOnce, 'integer')}) as n
               where (select count(*) from hand_offs h where h.workspace_id = ${workspaceId} and h.connection_id = ${connectionId} and h.state = 'claimed' and h.slot = n) = 0
               order by random() offset 0) as looked_for
             where pg_try_advisory_xact_lock(hashtextextended('slot ' || slot || ' ' || ${connectionId}::text, 0)) limit ${unplanned(calls, 'integer')}) as any_of_them`

const insertHandOffs = statement('insert-hand-offs', {
  free: column.integer(),
  taken: column.texts(),
  is_outdated: column.boolean(),
  transaction_id: column.text(),
})

async function tryOnce(em: Em, request: SlotRequest, calls: readonly ClaimedHandOff[]) {
  const { route, region, credentialEnvKey, judgedAt } = request
  const { workspaceId, connectionId, domainName } = route
  const [{ kind, originId }] = calls as [ClaimedHandOff]
  const contactIds = calls.flatMap(({ messages }) => messages.flatMap(({ contactId }) => contactId ?? []))
  const messageIds = calls.map(({ messages }) => `{${messages.map(({ id }) => id).join(',')}}`)
  const found = await insertHandOffs.row(
    em,
    prepared(sql`with free as materialized (${slots(request, calls.length)}),
        timely as (
          select clock_timestamp() as claimed_at
           where clock_timestamp() <= ${judgedAt}::timestamptz + ${verdictMs} * interval '1 ms' and not ${isRefusedSince(workspaceId, contactIds, judgedAt)}),
        taken as (
          insert into hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, judged_at, claimed_at, slot)
          select ${workspaceId}::uuid, t.id, ${kind}, ${originId}::uuid, t.batch, t.message_ids::uuid[], ${connectionId}::uuid, ${domainName}, ${region}, ${credentialEnvKey},
                 ${judgedAt}::timestamptz, timely.claimed_at, free.slot
            from unnest(${unplanned(
              calls.map(({ id }) => id),
              'uuid[]',
            )}, ${unplanned(
              calls.map(({ batch }) => batch),
              'integer[]',
            )}, ${unplanned(messageIds, 'text[]')}) with ordinality as t (id, batch, message_ids, n) join free using (n) cross join timely
          on conflict (workspace_id, connection_id, slot) where state = 'claimed' do nothing
          returning id)
        select (select count(*)::int from free) as free, array(select id::text from taken) as taken, not exists (select from timely) as is_outdated,
               pg_current_xact_id()::text as transaction_id`),
  )
  return found!
}
