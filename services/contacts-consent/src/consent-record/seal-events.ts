import { setImmediate as nextTurn } from 'node:timers/promises'
import { arrayOf, column, columns, nullable, sql, statement, textsOf, uuidsOf, type Em } from '@lettergate/database'
import { UnsealedConsentBatch } from './consent-seal.entity.ts'
import { readInOrder } from '../search/read-in-order.ts'
import { openChain, type Chain, type Head, type RecordedEvent, type Seal } from './seal-hashes.ts'

/** The result of one pass. `missing` are queued events that are no longer in the record, because they were removed. */
export interface Sealed {
  seals: Seal[]
  missing: string[]
}

const nothing: Sealed = { seals: [], missing: [] }

const waitForSealer = statement('wait-for-sealer')
const trySealing = statement('try-sealing', { taken: column.boolean() })
const batchColumns = columns(UnsealedConsentBatch, 'arrival', 'event_ids')
const selectBatches = statement('select-batches-to-seal', batchColumns)
const selectBatchesOfContact = statement('select-batches-of-contact-to-seal', batchColumns)
const selectEvents = statement('select-events-to-seal', { event: column.json<RecordedEvent>() })
const selectChain = statement('select-chain', {
  head: nullable(column.json<Head>()),
  contact_heads: column.json<(Head & { contact_id: string })[]>(),
  sealed_at: column.text(),
})
const appendSeals = statement('append-consent-seals')
const removeBatches = statement('remove-sealed-batches')
const removeEventsOfContact = statement('remove-sealed-events-of-contact')

/**
 * Seals the waiting events of this workspace, oldest first, until there are `limit` or more. Or all of one contact, and none if these
 * are more than `limit`. Only one process seals at a time: another one returns at once, or waits if requested. It never waits for
 * writers of the record, and writers do not wait for it.
 */
export async function sealWaiting(
  em: Em,
  workspaceId: string,
  options: { limit: number; contactId?: string; mayWait?: boolean },
): Promise<Sealed> {
  const { limit, contactId } = options
  const lock = sql`hashtextextended('seal consent record ' || ${workspaceId}::text, 0)`
  if (options.mayWait) await waitForSealer.execute(em, sql`select pg_advisory_xact_lock(${lock})`)
  else {
    const taken = await trySealing.row(em, sql`select pg_try_advisory_xact_lock(${lock}) as taken`)
    if (!taken?.taken) return nothing
  }
  await readInOrder(em)
  const batches =
    contactId === undefined
      ? await firstBatches(em, workspaceId, limit)
      : await batchesOfContact(em, workspaceId, contactId)
  if (batches.length === 0) return nothing
  const ids = batches.flatMap((batch) => batch.event_ids)
  if (contactId !== undefined && ids.length > limit) return nothing
  const found = await eventsById(em, workspaceId, ids)
  const events = ids.flatMap((id) => found.get(id) ?? [])
  const chain = await chainOf(em, workspaceId, [...new Set(events.map((event) => event.contact_id))])
  const seals = await sealInParts({ workspaceId, ...chain }, events)
  await append(em, workspaceId, seals)
  const arrivals = batches.map((batch) => batch.arrival)
  if (contactId === undefined) await remove(em, workspaceId, arrivals)
  else await removeOfContact(em, workspaceId, { arrivals, contactId })
  return { seals, missing: ids.filter((id) => !found.has(id)) }
}

/** The oldest batches, with so many events that they reach the limit. */
const firstBatches = (em: Em, workspaceId: string, limit: number) =>
  selectBatches.rows(
    em,
    sql`select u.arrival, u.event_ids
          from (select arrival, event_ids, sum(event_count) over (order by arrival) - event_count as before
                  from unsealed_consent_batches where workspace_id = ${workspaceId} order by arrival limit ${limit}) u
         where u.before < ${limit} order by u.arrival`,
  )

/** The batches with events of this contact, and only these events of them. */
const batchesOfContact = (em: Em, workspaceId: string, contactId: string) =>
  selectBatchesOfContact.rows(
    em,
    sql`select u.arrival, array(select w.event_id from unnest(u.event_ids, u.contact_ids) with ordinality as w (event_id, contact_id, place)
                                 where w.contact_id = ${contactId} order by w.place) as event_ids
          from unsealed_consent_batches u
         where u.workspace_id = ${workspaceId} and u.contact_ids @> array[${contactId}]::uuid[] order by u.arrival`,
  )

async function eventsById(em: Em, workspaceId: string, ids: readonly string[]): Promise<Map<string, RecordedEvent>> {
  const found = await selectEvents.rows(
    em,
    sql`select row_to_json(e) as event from consent_events e
         where e.workspace_id = ${workspaceId} and e.id = any(${uuidsOf(ids)}::uuid[])`,
  )
  return new Map(found.map(({ event }) => [event.id, event]))
}

const remove = (em: Em, workspaceId: string, arrivals: readonly string[]) =>
  removeBatches.execute(
    em,
    sql`delete from unsealed_consent_batches where workspace_id = ${workspaceId} and arrival = any(${arrayOf(arrivals)}::bigint[])`,
  )

/** Removes the events of a contact from batches, and batches that have no others. */
const removeOfContact = (
  em: Em,
  workspaceId: string,
  { arrivals, contactId }: { arrivals: readonly string[]; contactId: string },
) =>
  removeEventsOfContact.execute(
    em,
    sql`with others as (
          select u.arrival, o.event_count, o.event_ids, o.contact_ids from unsealed_consent_batches u
           cross join lateral (
             select count(*)::int as event_count, array_agg(w.event_id order by w.place) as event_ids,
                    array_agg(w.contact_id order by w.place) as contact_ids
               from unnest(u.event_ids, u.contact_ids) with ordinality as w (event_id, contact_id, place)
              where w.contact_id <> ${contactId}) o
           where u.workspace_id = ${workspaceId} and u.arrival = any(${arrayOf(arrivals)}::bigint[])),
        emptied as (
          delete from unsealed_consent_batches u using others o
           where u.workspace_id = ${workspaceId} and u.arrival = o.arrival and o.event_count = 0)
        update unsealed_consent_batches u
           set event_count = o.event_count, event_ids = o.event_ids, contact_ids = o.contact_ids
          from others o where u.workspace_id = ${workspaceId} and u.arrival = o.arrival and o.event_count > 0`,
  )

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
               (select coalesce(jsonb_agg(last), '[]') from unnest(${uuidsOf(contactIds)}::uuid[]) as c (id)
                 cross join lateral (
                   select contact_id, contact_position as position, sha256 from consent_seals s
                    where s.workspace_id = ${workspaceId} and s.contact_id = c.id order by contact_position desc limit 1) last) as contact_heads,
               to_jsonb(now()) #>> '{}' as sealed_at`,
  )
  const { head, contact_heads: contactHeads, sealed_at: sealedAt } = found!
  return { head: head ?? undefined, contactHeads: new Map(contactHeads.map((one) => [one.contact_id, one])), sealedAt }
}

const append = (em: Em, workspaceId: string, seals: readonly Seal[]) =>
  appendSeals.execute(
    em,
    sql`insert into consent_seals (workspace_id, position, event_id, event_sha256, contact_id, contact_position,
               previous_contact_sha256, previous_sha256, sealed_at, sha256)
        select ${workspaceId}::uuid, s.position, s.event_id, s.event_sha256, s.contact_id, s.contact_position,
               s.previous_contact_sha256, s.previous_sha256, s.sealed_at, s.sha256
          from unnest(${arrayOf(seals.map((one) => one.position))}::bigint[], ${uuidsOf(seals.map((one) => one.event_id))}::uuid[],
                      ${arrayOf(seals.map((one) => one.event_sha256))}::text[],
                      ${uuidsOf(seals.map((one) => one.contact_id))}::uuid[],
                      ${arrayOf(seals.map((one) => one.contact_position))}::bigint[],
                      ${textsOf(seals.map((one) => one.previous_contact_sha256 ?? null))}::text[],
                      ${textsOf(seals.map((one) => one.previous_sha256 ?? null))}::text[],
                      ${textsOf(seals.map((one) => one.sealed_at))}::timestamptz[],
                      ${arrayOf(seals.map((one) => one.sha256))}::text[])
            as s (position, event_id, event_sha256, contact_id, contact_position, previous_contact_sha256, previous_sha256,
                  sealed_at, sha256)`,
  )
