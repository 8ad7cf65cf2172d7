import { column, columns, kyselyOf, sql, statement, type Em, type Row } from '@lettergate/database'
import { alertBrokenRecord, type Break } from './alert-broken-record.ts'
import type { Ctx } from '../ctx.ts'
import { ConsentEvent } from './consent-event.entity.ts'
import { ConsentRecordCheck } from './consent-record-check.entity.ts'
import { ConsentSeal, sealsAfter } from './consent-seal.entity.ts'
import { compareSeals } from './compare-seals.ts'
import { readInOrder } from '../search/read-in-order.ts'

const slice = 250
const slicesMax = 8
const pauseSeconds = 3_600

type Check = Row<typeof ConsentRecordCheck>

const insertChecks = statement('insert-consent-record-checks')
const takeCheck = statement('take-due-consent-record-check', columns(ConsentRecordCheck))
const selectEvents = statement('select-consent-events-to-check', {
  ...columns(ConsentEvent, 'id'),
  is_sealed: column.boolean(),
})
const selectKnown = statement('select-known-to-seals', columns(ConsentSeal, 'event_id'))

/**
 * Compares the consent record with its seals, a slice at a time, workspace after workspace, for ever: a round that ended
 * begins again an hour later. A mismatch is reported once in each pass. It also finds changes that circumvent the triggers of the database.
 */
export async function checkConsentRecord(ctx: Ctx): Promise<void> {
  for (let done = 0; done < slicesMax; done += 1) {
    const taken = await ctx.tx(takeDue)
    if (!taken) return
    await ctx.inWorkspace(taken.workspace_id).tx((em) => checkSlice(em, taken))
  }
}

/** Takes the workspace that waits longest, for a minute, so that two replicas do not check the same slice. */
async function takeDue(em: Em): Promise<Check | undefined> {
  await insertChecks.execute(
    em,
    sql`insert into consent_record_checks (workspace_id) select workspace_id from workspaces w
         where not exists (select 1 from consent_record_checks c where c.workspace_id = w.workspace_id) on conflict do nothing`,
  )
  return takeCheck.row(
    em,
    sql`update consent_record_checks set due_at = now() + interval '1 minute'
         where workspace_id = (select workspace_id from consent_record_checks where due_at <= now()
                                order by due_at limit 1 for update skip locked)
        returning *`,
  )
}

async function checkSlice(em: Em, check: Check): Promise<void> {
  const { workspace_id: workspaceId } = check
  await readInOrder(em)
  const from = { position: Number(check.position), sha256: check.sha256 }
  const sealed = await sealsAfter(em, workspaceId, from.position, slice)
  const { mismatches, to } = compareSeals(sealed, from)
  const breaks: Break[] = [...mismatches]
  const known = Number(check.known_position)
  const atKnown = sealed.find(({ seal }) => seal.position === known)
  if (atKnown && atKnown.seal.sha256 !== check.known_sha256)
    breaks.push({ problem: 'the chain is not the one of the last round', position: known })

  let eventId = check.event_id
  let isRoundOver = false
  if (sealed.length < slice) {
    if (to.position < known) breaks.push({ problem: 'seals were removed from the end', position: known })
    const events = await eventsAfter(em, workspaceId, eventId)
    const unsealed = events.flatMap(({ id, is_sealed }) => (is_sealed ? [] : [id]))
    const inserted = await withoutSeal(em, workspaceId, unsealed)
    breaks.push(...inserted.map((id) => ({ problem: 'the event has no seal', eventId: id })))
    eventId = events.at(-1)?.id ?? eventId
    isRoundOver = events.length < slice
  }
  const isNews = breaks.length > 0 && check.broken_at === null
  if (isNews) await alertBrokenRecord(em, workspaceId, breaks)
  await keep(em, check, { to, eventId, isRoundOver, isNews })
}

/** The next events by id, each with whether a seal holds it. */
const eventsAfter = (em: Em, workspaceId: string, eventId: string | null) =>
  selectEvents.rows(
    em,
    sql`select e.id, s.event_id is not null as is_sealed
          from (select id from consent_events where workspace_id = ${workspaceId} and (${eventId}::uuid is null or id > ${eventId}::uuid)
                 order by id limit ${slice}) e
          left join lateral (select event_id from consent_seals o where o.workspace_id = ${workspaceId} and o.event_id = e.id limit 1) s on true
         order by e.id`,
  )

/** The given events that are neither queued nor sealed, so that they would stay unsealed. */
async function withoutSeal(em: Em, workspaceId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const known = await selectKnown.rows(
    em,
    sql`select w.event_id from unsealed_consent_batches u cross join lateral unnest(u.event_ids) as w (event_id)
         where u.workspace_id = ${workspaceId} and w.event_id = any(${ids}::uuid[])
        union all
        select event_id from consent_seals where workspace_id = ${workspaceId} and event_id = any(${ids}::uuid[])`,
  )
  const found = new Set(known.map((one) => one.event_id))
  return ids.filter((id) => !found.has(id))
}

interface Outcome {
  to: { position: number; sha256: string | null }
  eventId: string | null
  isRoundOver: boolean
  isNews: boolean
}

/** Stores where the next slice begins. After a pass, it is the beginning of the chain, and the newest checked seal is stored. */
const keep = (em: Em, check: Check, { to, eventId, isRoundOver, isNews }: Outcome) =>
  kyselyOf(em, ConsentRecordCheck)
    .updateTable('consent_record_checks')
    .set(
      isRoundOver
        ? {
            due_at: sql`now() + make_interval(secs => ${pauseSeconds})`,
            position: '0',
            sha256: null,
            event_id: null,
            broken_at: null,
            known_position: sql`greatest(known_position, ${to.position})`,
            known_sha256: sql`case when ${to.position} >= known_position then ${to.sha256} else known_sha256 end`,
          }
        : {
            due_at: sql`now()`,
            position: String(to.position),
            sha256: to.sha256,
            event_id: eventId,
            ...(isNews ? { broken_at: sql`now()` } : {}),
          },
    )
    .where('workspace_id', '=', check.workspace_id)
    .execute()
