import { defineEntity, p } from '@mikro-orm/core'
import { execute, rows, sql, type Em } from '@lettergate/database'
import { factNames, type FactName, type Facts } from './outcome.ts'

/** What is known of a message: appended, never changed. */
export const MessageFacts = defineEntity({
  name: 'MessageFact',
  tableName: 'message_facts',
  properties: {
    workspaceId: p.uuid(),
    originId: p.uuid().primary(),
    messageId: p.uuid().primary(),
    fact: p.text().$type<FactName | MessageEnd>().primary(),
    at: p.datetime().primary(),
    reasons: p.array().nullable(),
  },
})

/** How a message ends that the provider never had. */
export type MessageEnd = 'skipped' | 'failed'

/** When each thing was first said of a message: a column for each fact. */
export type FactTimes = { [F in FactName as `${F}_at`]: string | null }

/**
 * Where a message stands, for a row r with workspace_id, id, batch and this origin: the hand-off h that counts, what is known k,
 * and s.state and s.outcome by the one definition. An outcome has only what the provider has.
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

/** When each thing was first said, of k. */
export const factColumns = sql.join(factNames.map((fact) => sql.ref(`k.${fact}_at`)))

/** The outcome of a message whose state is s.state. */
export const outcome = sql`case when s.state in ('accepted', 'delivered', 'soft_failed', 'hard_bounced') then message_outcome(k.facts) end`

export const factsOf = (times: FactTimes): Facts =>
  Object.fromEntries(
    factNames.flatMap((fact) => {
      const at = times[`${fact}_at`]
      return at === null ? [] : [[fact, new Date(at)]]
    }),
  )

/** So many transactions can add facts to one run at the same time, each to its part of the messages. */
export const parts = 4

/** Of an id that is a UUID; 0 of any other text. */
export const partOf = (messageId: string): number => (Number.parseInt(messageId.slice(-1), 16) || 0) % parts

/**
 * A statement: until the transaction ends nobody else adds provider facts to messages of the same parts of these runs and test
 * sends, and what is read after it stays true. `messages` has id and origin_id. The release before locks the whole run, which
 * the shared lock keeps out.
 */
export const lockMessages = (messages: ReturnType<typeof sql>) => sql`
  select case when part is null then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end from (
    select part, hashtextextended('message_facts ' || origin_id || coalesce(' ' || part, ''), 0) as key
      from (select distinct origin_id, p.part from (${messages}) m, lateral (values (null), (get_byte(uuid_send(m.id), 15) % ${sql.lit(parts)})) as p (part)) as parts
     order by part nulls first, key) as keys`

/**
 * For what must see all facts of a run, after this transaction's own were appended: it waits for others that did the same, and
 * the last of them sees what all of them appended.
 */
export async function waitForFacts(em: Em, why: 'settle' | 'judge', originIds: readonly string[]): Promise<void> {
  await rows(
    em,
    sql`select pg_advisory_xact_lock(key) from (
          select distinct hashtextextended(${`${why} `} || id, 0) as key from unnest(${[...originIds]}::text[]) as t (id) order by 1) as keys`,
  )
}

/** Names the end of messages that are not handed over, each with its reasons. Who has an end keeps it. Answers how many got one. */
export async function endMessages(
  em: Em,
  { workspaceId, originId }: { workspaceId: string; originId: string },
  ends: readonly { id: string; end: MessageEnd; reasons: readonly string[] }[],
): Promise<number> {
  if (ends.length === 0) return 0
  return execute(
    em,
    sql`insert into message_facts (workspace_id, origin_id, message_id, fact, reasons)
        select ${workspaceId}::uuid, ${originId}::uuid, t.id, t.fact, string_to_array(t.reasons, ',')
          from unnest(${ends.map(({ id }) => id)}::uuid[], ${ends.map(({ end }) => end)}::text[], ${ends.map(({ reasons }) => reasons.join(','))}::text[]) as t (id, fact, reasons)
        on conflict (message_id) where fact in ('skipped', 'failed') do nothing`,
  )
}
