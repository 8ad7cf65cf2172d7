import { defineEntity, p } from '@mikro-orm/core'
import { column, listOf, nullable, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { Column } from '@lettergate/database/column'
import { factNames, type FactName, type Facts } from './outcome.ts'

/** The facts known about messages. Rows are only added, never changed. */
export const MessageFact = defineEntity({
  name: 'MessageFact',
  tableName: 'message_facts',
  properties: {
    workspaceId: p.uuid(),
    originId: p.uuid().primary(),
    messageId: p.uuid().primary(),
    fact: p.text().$type<FactName | MessageEnd>().primary(),
    at: p.datetime().primary().defaultRaw('clock_timestamp()'),
    reasons: p.array().nullable(),
    /** the event that reported the fact; null for an end, and for a fact that a lookup found */
    eventId: p.uuid().nullable(),
  },
})

/** Final states of a message that was never handed over. */
export type MessageEnd = 'skipped' | 'failed'

/** The earliest time of each fact of a message, one column for each fact, selected by `factList`. */
export const factColumns = Object.fromEntries(
  factNames.map((fact) => [`${fact}_at`, nullable(column.timestamptz())]),
) as { [F in FactName as `${F}_at`]: Column<string | null> }

export type FactTimes = RowOf<typeof factColumns>

/**
 * Joins to a row r (workspace_id, id, batch) of this origin: the relevant hand-off h, its facts k, and the message state
 * s.state. The outcome is only defined for messages that the provider accepted.
 */
export const joinMessageState = (originId: ReturnType<typeof sql>) => sql`
  left join lateral (
    select o.state, o.reason, o.claimed_at, o.settled_at, o.provider_message_id from hand_offs o
     where o.workspace_id = r.workspace_id and o.origin_id = ${originId} and o.batch = r.batch and r.id = any(o.message_ids)
     order by o.state = 'put_back', o.claimed_at desc limit 1) h on true
  cross join lateral (
    select coalesce(array_agg(f.fact), '{}') as facts, string_to_array(min(array_to_string(f.reasons, ',')), ',') as reasons,
           ${sql.join(factNames.map((fact) => sql`min(f.at) filter (where f.fact = ${sql.lit(fact)}) as ${sql.ref(`${fact}_at`)}`))}
      from message_facts f where f.origin_id = ${originId} and f.message_id = r.id) k
  cross join lateral (select message_state(h.state, k.facts) as state) s`

/**
 * True if a provider event was received for the message with this id. Facts are counted, not joined: of a run that is newer than
 * the statistics the planner expects one fact, and would then compare each message with all facts of the run.
 */
export const isProven = (originId: ReturnType<typeof sql>, messageId: ReturnType<typeof sql>) => sql`(
  select count(*) from message_facts f where f.origin_id = ${originId} and f.message_id = ${messageId} and f.fact not in ('skipped', 'failed')) > 0`

/** Selects the ids of the unknown messages of a run: those of unknown hand-offs without a provider event. */
export const unknownMessages = (workspaceId: string, runId: string) => sql`
  select m.id from hand_offs h cross join lateral unnest(h.message_ids) as m (id)
   where h.workspace_id = ${workspaceId} and h.origin_id = ${runId} and h.state = 'unknown' and not ${isProven(sql`h.origin_id`, sql`m.id`)}`

/** Selects the earliest time of each fact, from k. */
export const factList = listOf(factColumns, 'k')

/** The outcome of a message with state s.state. */
export const outcome = sql`case when s.state in ('accepted', 'delivered', 'soft_failed', 'hard_bounced') then message_outcome(k.facts) end`

/** Why recipient r was skipped or failed, or is unknown. Empty in other states. */
export const reasons = sql`case when s.state = 'skipped' then k.reasons when s.state = 'failed' then coalesce(k.reasons, array[h.reason])
  when s.state = 'unknown' then array_remove(array[h.reason], null) else '{}' end`

export const factsOf = (times: FactTimes): Facts =>
  Object.fromEntries(
    factNames.flatMap((fact) => {
      const at = times[`${fact}_at`]
      return at === null ? [] : [[fact, new Date(at)]]
    }),
  )

/** Facts of one run can be written by this many transactions at once, each for its part of the messages. */
export const parts = 4

/** Returns the part of a message id. 0 for a text that is not a UUID. */
export const partOf = (messageId: string): number => (Number.parseInt(messageId.slice(-1), 16) || 0) % parts

/**
 * A statement that locks the facts of these messages until the transaction ends, by run or test send and part. `messages`
 * has id and origin_id. The shared lock waits for the previous release, which locks the whole run.
 */
export const lockMessages = (messages: ReturnType<typeof sql>) => sql`
  select case when part is null then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end from (
    select part, hashtextextended('message_facts ' || origin_id || coalesce(' ' || part, ''), 0) as key
      from (select distinct origin_id, p.part from (${messages}) m, lateral (values (null), (get_byte(uuid_send(m.id), 15) % ${sql.lit(parts)})) as p (part)) as parts
     order by part nulls first, key) as keys`

const lockOrigins = statement('wait-for-facts')

/**
 * Call this after appending facts and before reading all facts of a run. It waits for concurrent transactions that did the
 * same; the last one sees the facts of all.
 */
export async function waitForFacts(em: Em, why: 'settle' | 'judge', originIds: readonly string[]): Promise<void> {
  await lockOrigins.execute(
    em,
    sql`select pg_advisory_xact_lock(key) from (
          select distinct hashtextextended(${`${why} `} || id, 0) as key from unnest(${[...originIds]}::text[]) as t (id) order by 1) as keys`,
  )
}

const storeEnds = statement('end-messages')

/**
 * Stores the final state of messages that are not handed over, with the reasons. An existing final state is kept. Returns
 * how many were stored.
 */
export async function endMessages(
  em: Em,
  { workspaceId, originId }: { workspaceId: string; originId: string },
  ends: readonly { id: string; end: MessageEnd; reasons: readonly string[] }[],
): Promise<number> {
  if (ends.length === 0) return 0
  return storeEnds.execute(
    em,
    sql`insert into message_facts (workspace_id, origin_id, message_id, fact, reasons)
        select ${workspaceId}::uuid, ${originId}::uuid, t.id, t.fact, string_to_array(t.reasons, ',')
          from unnest(${ends.map(({ id }) => id)}::uuid[], ${ends.map(({ end }) => end)}::text[], ${ends.map(({ reasons }) => reasons.join(','))}::text[]) as t (id, fact, reasons)
        on conflict (message_id) where fact in ('skipped', 'failed') do nothing`,
  )
}
