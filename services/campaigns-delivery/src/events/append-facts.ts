import { arrayOf, prepared, sql, statement, uuidsOf, type Em } from '@lettergate/database'
import { factNames, type FactName } from '../messages/outcome.ts'
import type { OutcomeChange, TimelineChange } from './tally.ts'

/** The position of each fact name, from 1. */
const factAt = Object.fromEntries(factNames.map((fact, index) => [fact, index + 1])) as Record<FactName, number>

const append = statement('append-facts')

/**
 * Appends facts under the lock of their messages and adds them to the tallies and the timeline, always in the same order.
 * Sets `app.facts_tallied`, so that no trigger of the table counts them again. The caller adds those of automations to their tallies.
 */
export async function appendFacts(
  em: Em,
  workspaceId: string,
  facts: readonly { originId: string; messageId: string; fact: FactName; at: Date; eventId: string | null }[],
  { moved, timed }: { moved: readonly OutcomeChange[]; timed: readonly TimelineChange[] },
): Promise<void> {
  const originAt = new Map<string, number>()
  for (const { originId } of facts) if (!originAt.has(originId)) originAt.set(originId, originAt.size + 1)
  const origins = [...originAt.keys()]
  await append.execute(
    em,
    prepared(sql`with appended as (
          insert into message_facts (workspace_id, origin_id, message_id, fact, at, event_id)
          select ${workspaceId}::uuid, (${uuidsOf(origins)}::uuid[])[t.origin], t.message_id, (${arrayOf(factNames)}::text[])[t.fact], to_timestamp(t.at_ms::float8 / 1000), t.event_id
            from unnest(${arrayOf(facts.map(({ originId }) => originAt.get(originId)!))}::integer[], ${uuidsOf(facts.map(({ messageId }) => messageId))}::uuid[],
                        ${arrayOf(facts.map(({ fact }) => factAt[fact]))}::integer[], ${arrayOf(facts.map(({ at }) => at.getTime()))}::bigint[],
                        ${uuidsOf(facts.map(({ eventId }) => eventId))}::uuid[]) as t (origin, message_id, fact, at_ms, event_id)),
        timed as (
          insert into run_timeline as known (workspace_id, run_id, kind, minute, slot, people)
          select ${workspaceId}::uuid, t.run_id, t.kind, t.minute, pg_backend_pid() % 16, t.people
            from unnest(${timed.map(({ runId }) => runId)}::uuid[], ${timed.map(({ moment }) => moment)}::text[],
                        ${timed.map(({ minuteMs }) => new Date(minuteMs))}::timestamptz[], ${timed.map(({ people }) => people)}::integer[]) as t (run_id, kind, minute, people)
           order by 2, 3, 4
          on conflict (run_id, kind, minute, slot) do update set people = known.people + excluded.people),
        moved as (
          select t.run_id, t.people, t.before::text[] as before, t.after::text[] as after
            from unnest(${moved.map(({ runId }) => runId)}::uuid[], ${moved.map(({ before }) => `{${before.join()}}`)}::text[],
                        ${moved.map(({ after }) => `{${after.join()}}`)}::text[], ${moved.map(({ people }) => people)}::integer[]) as t (run_id, before, after, people)),
        changed as (
          select run_id, people as sign, after as facts from moved union all select run_id, -people, before from moved),
        tallied as (
          insert into run_tallies as known (workspace_id, run_id, slot, hard_bounced, delivered, soft_failed_only, opened, clicked, complained)
          select ${workspaceId}::uuid, run_id, pg_backend_pid() % 16,
                 coalesce(sum(sign) filter (where message_outcome(facts) = 'hard_bounced'), 0),
                 coalesce(sum(sign) filter (where message_outcome(facts) = 'delivered'), 0),
                 coalesce(sum(sign) filter (where message_outcome(facts) = 'soft_failed_only'), 0),
                 coalesce(sum(sign) filter (where 'opened' = any(facts)), 0),
                 coalesce(sum(sign) filter (where 'clicked' = any(facts)), 0),
                 coalesce(sum(sign) filter (where 'complained' = any(facts)), 0)
            from changed group by run_id order by run_id
          on conflict (run_id, slot) do update set hard_bounced = known.hard_bounced + excluded.hard_bounced, delivered = known.delivered + excluded.delivered,
            soft_failed_only = known.soft_failed_only + excluded.soft_failed_only, opened = known.opened + excluded.opened,
            clicked = known.clicked + excluded.clicked, complained = known.complained + excluded.complained)
        select set_config('app.facts_tallied', 'all', true) as tallied`),
  )
}
