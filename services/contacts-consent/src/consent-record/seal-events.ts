import { setImmediate as nextTurn } from 'node:timers/promises'
import { arrayOf, column, columns, nullable, sql, statement, textsOf, type Em } from '@lettergate/database'
import { UnsealedConsentEvent } from './consent-seal.entity.ts'
import { openChain, type Chain, type Head, type RecordedEvent, type Seal } from './seal-hashes.ts'

/** The result of one pass. `missing` are queued events that are no longer in the record, because they were removed. */
export interface Sealed {
  seals: Seal[]
  missing: string[]
}

const nothing: Sealed = { seals: [], missing: [] }

const waitForSealer = statement('wait-for-sealer')
const trySealing = statement('try-sealing', { taken: column.boolean() })
/** The planner knows nothing of a queue that an import has just filled, and would sort all of it instead of reading the index. */
const readInOrder = statement('read-events-to-seal-in-order')
const selectWaiting = statement('select-events-to-seal', {
  ...columns(UnsealedConsentEvent, 'arrival', 'event_id'),
  event: nullable(column.json<RecordedEvent>()),
})
const selectChain = statement('select-chain', {
  head: nullable(column.json<Head>()),
  contact_heads: column.json<(Head & { contact_id: string })[]>(),
  sealed_at: column.text(),
})
const appendSeals = statement('append-consent-seals')

const waitingOf = (contactId: string | undefined) =>
  contactId === undefined ? sql`true` : sql`u.contact_id = ${contactId}`

/**
 * Seals the waiting events of this workspace (or of one contact), oldest first, up to `limit`. Only one process seals at a time:
 * another one returns at once, or waits if requested. It never waits for writers of the record, and writers do not wait for it.
 */
export async function sealWaiting(
  em: Em,
  workspaceId: string,
  options: { limit: number; contactId?: string; mayWait?: boolean },
): Promise<Sealed> {
  const lock = sql`hashtextextended('seal consent record ' || ${workspaceId}::text, 0)`
  if (options.mayWait) await waitForSealer.execute(em, sql`select pg_advisory_xact_lock(${lock})`)
  else {
    const taken = await trySealing.row(em, sql`select pg_try_advisory_xact_lock(${lock}) as taken`)
    if (!taken?.taken) return nothing
  }
  await readInOrder.execute(em, sql`select set_config('enable_sort', 'off', true)`)
  const waiting = await selectWaiting.rows(
    em,
    sql`select u.arrival, u.event_id, case when e.id is not null then to_jsonb(e) end as event
          from (select arrival, event_id from unsealed_consent_events u
                 where u.workspace_id = ${workspaceId} and ${waitingOf(options.contactId)}
                 order by u.arrival limit ${options.limit}) u
          left join lateral (select * from consent_events k where k.workspace_id = ${workspaceId} and k.id = u.event_id limit 1) e on true
         order by u.arrival`,
  )
  if (waiting.length === 0) return nothing
  const events = waiting.flatMap((one) => (one.event === null ? [] : [one.event]))
  const chain = await chainOf(em, workspaceId, [...new Set(events.map((event) => event.contact_id))])
  const seals = await sealInParts({ workspaceId, ...chain }, events)
  await append(
    em,
    workspaceId,
    seals,
    waiting.map((one) => one.arrival),
  )
  return { seals, missing: waiting.filter((one) => one.event === null).map((one) => one.event_id) }
}

/** Small enough that hashing blocks other calls only for a few milliseconds. */
const hashedAtOnce = 250

async function sealInParts(chain: Chain, events: readonly RecordedEvent[]): Promise<Seal[]> {
  const continued = openChain(chain)
  const seals: Seal[] = []
  for (let from = 0; from < events.length; from += hashedAtOnce) {
    if (from > 0) await nextTurn()
    for (const event of events.slice(from, from + hashedAtOnce)) seals.push(continued(event))
  }
  return seals
}

/** The last seals of the workspace's chain and of the chains of these contacts. */
async function chainOf(em: Em, workspaceId: string, contactIds: readonly string[]) {
  const found = await selectChain.row(
    em,
    sql`select (select jsonb_build_object('position', position, 'sha256', sha256) from consent_seals
                 where workspace_id = ${workspaceId} order by position desc limit 1) as head,
               (select coalesce(jsonb_agg(last), '[]') from unnest(${[...contactIds]}::uuid[]) as c (id)
                 cross join lateral (
                   select contact_id, contact_position as position, sha256 from consent_seals s
                    where s.workspace_id = ${workspaceId} and s.contact_id = c.id order by contact_position desc limit 1) last) as contact_heads,
               to_jsonb(now()) #>> '{}' as sealed_at`,
  )
  const { head, contact_heads: contactHeads, sealed_at: sealedAt } = found!
  return { head: head ?? undefined, contactHeads: new Map(contactHeads.map((one) => [one.contact_id, one])), sealedAt }
}

const append = (em: Em, workspaceId: string, seals: readonly Seal[], arrivals: readonly string[]) =>
  appendSeals.execute(
    em,
    sql`with done as (
          delete from unsealed_consent_events where workspace_id = ${workspaceId} and arrival = any(${arrayOf(arrivals)}::bigint[]))
        insert into consent_seals (workspace_id, position, event_id, event_sha256, contact_id, contact_position,
               previous_contact_sha256, previous_sha256, sealed_at, sha256)
        select ${workspaceId}::uuid, s.position, s.event_id, s.event_sha256, s.contact_id, s.contact_position,
               s.previous_contact_sha256, s.previous_sha256, s.sealed_at, s.sha256
          from unnest(${arrayOf(seals.map((one) => one.position))}::bigint[], ${arrayOf(seals.map((one) => one.event_id))}::uuid[],
                      ${arrayOf(seals.map((one) => one.event_sha256))}::text[],
                      ${arrayOf(seals.map((one) => one.contact_id))}::uuid[],
                      ${arrayOf(seals.map((one) => one.contact_position))}::bigint[],
                      ${textsOf(seals.map((one) => one.previous_contact_sha256 ?? null))}::text[],
                      ${textsOf(seals.map((one) => one.previous_sha256 ?? null))}::text[],
                      ${textsOf(seals.map((one) => one.sealed_at))}::timestamptz[],
                      ${arrayOf(seals.map((one) => one.sha256))}::text[])
            as s (position, event_id, event_sha256, contact_id, contact_position, previous_contact_sha256, previous_sha256,
                  sealed_at, sha256)`,
  )
