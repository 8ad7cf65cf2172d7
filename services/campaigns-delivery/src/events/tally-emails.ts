import { arrayOf, prepared, sql, statement, type Em } from '@lettergate/database'
import type { HandOffKind } from '../delivery/hand-off.entity.ts'
import type { Facts } from '../messages/outcome.ts'

const hourMs = 3_600_000

/** The hour in which a UUIDv7 was made, in milliseconds since 1970. The database function `hour_of_id` computes the same. */
const hourOf = (id: string) => Math.floor(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) / hourMs) * hourMs

const listed = (facts: Facts) => `{${Object.keys(facts).sort().join()}}`

const addToHours = statement('tally-email-facts')

/**
 * Adds the facts that were learned of emails of automations to the tallies of the hours of their steps, under the lock of the
 * messages, always in the same order. `messages` has the kinds and the earlier facts. Emails of an hour with the same change are
 * counted together.
 */
export async function tallyEmails(
  em: Em,
  workspaceId: string,
  {
    messages,
    learned,
  }: {
    messages: ReadonlyMap<string, { kind: HandOffKind; facts: Facts }>
    learned: ReadonlyMap<string, Facts>
  },
): Promise<void> {
  const changes = Array.from(learned).flatMap(([id, after]) => {
    const { kind, facts: before } = messages.get(id)!
    return kind === 'automation' ? [{ hour: new Date(hourOf(id)), before: listed(before), after: listed(after) }] : []
  })
  if (changes.length === 0) return
  const moved = Array.from(
    Map.groupBy(changes, ({ hour, before, after }) => `${hour.getTime()} ${before} ${after}`),
    ([, same]) => ({ ...same[0]!, emails: same.length }),
  )
  await addToHours.execute(
    em,
    prepared(sql`insert into automation_tallies as known (workspace_id, hour, kind, slot, messages)
        select ${workspaceId}::uuid, t.hour, o.kind, pg_backend_pid() % 16, sum(o.sign * t.emails)
          from unnest(${moved.map(({ hour }) => hour)}::timestamptz[], ${moved.map(({ before }) => before)}::text[],
                      ${moved.map(({ after }) => after)}::text[], ${arrayOf(moved.map(({ emails }) => emails))}::integer[]) as t (hour, before, after, emails)
         cross join lateral (values (message_outcome(t.after::text[]), 1), (message_outcome(t.before::text[]), -1)) as o (kind, sign)
         where o.kind in ('delivered', 'hard_bounced') group by 2, 3 having sum(o.sign * t.emails) <> 0 order by 2, 3
        on conflict (workspace_id, hour, kind, slot) do update set messages = known.messages + excluded.messages`),
  )
}
