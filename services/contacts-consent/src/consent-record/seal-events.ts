import { execute, row, rows, sql, type Em } from '@lettergate/database'
import { sealEvents, type Head, type RecordedEvent, type Seal } from './seal-hashes.ts'

/** What one pass came to. Missing are events that were queued and are in the record no more: somebody removed them. */
export interface Sealed {
  seals: Seal[]
  missing: string[]
}

const nothing: Sealed = { seals: [], missing: [] }

interface Waiting {
  arrival: string
  event_id: string
  event: RecordedEvent | null
}

const waitingOf = (contactId: string | undefined) =>
  contactId === undefined ? sql`true` : sql`u.contact_id = ${contactId}`

/**
 * Seals what waits in this workspace (or of one of its contacts), oldest first, up to `limit`. One sealer at a time: who
 * finds another at work answers nothing, or waits for it when told to. Writers of the record are never waited for, nor do they wait.
 */
export async function sealWaiting(
  em: Em,
  workspaceId: string,
  options: { limit: number; contactId?: string; mayWait?: boolean },
): Promise<Sealed> {
  const lock = sql`hashtextextended('seal consent record ' || ${workspaceId}::text, 0)`
  if (options.mayWait) await execute(em, sql`select pg_advisory_xact_lock(${lock})`)
  else {
    const taken = await row<{ taken: boolean }>(em, sql`select pg_try_advisory_xact_lock(${lock}) as taken`)
    if (!taken?.taken) return nothing
  }
  const waiting = await rows<Waiting>(
    em,
    sql`select u.arrival, u.event_id, case when e.id is not null then to_jsonb(e) end as event
          from (select * from unsealed_consent_events u where u.workspace_id = ${workspaceId} and ${waitingOf(options.contactId)}
                 order by u.arrival limit ${options.limit}) u
          left join lateral (select * from consent_events k where k.workspace_id = ${workspaceId} and k.id = u.event_id limit 1) e on true
         order by u.arrival`,
  )
  if (waiting.length === 0) return nothing
  const events = waiting.flatMap((one) => (one.event === null ? [] : [one.event]))
  const chain = await chainOf(em, workspaceId, [...new Set(events.map((event) => event.contact_id))])
  const seals = sealEvents({ workspaceId, ...chain }, events)
  await append(
    em,
    workspaceId,
    seals,
    waiting.map((one) => one.arrival),
  )
  return { seals, missing: waiting.filter((one) => one.event === null).map((one) => one.event_id) }
}

/** Where the workspace's chain and those of these contacts stand. */
async function chainOf(em: Em, workspaceId: string, contactIds: readonly string[]) {
  const found = await row<{ head: Head | null; contact_heads: (Head & { contact_id: string })[]; sealed_at: string }>(
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
  execute(
    em,
    sql`with done as (
          delete from unsealed_consent_events where workspace_id = ${workspaceId} and arrival = any(${[...arrivals]}::bigint[]))
        insert into consent_seals select s.* from jsonb_populate_recordset(null::consent_seals, ${JSON.stringify(seals)}::jsonb) s`,
  )
