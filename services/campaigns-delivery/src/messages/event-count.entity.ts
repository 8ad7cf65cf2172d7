import { defineEntity, p } from '@mikro-orm/core'
import { columns, prepared, sql, statement, type Em } from '@lettergate/database'
import { eventKinds, type MessageEventKind } from './outcome.ts'

/** How many provider events of each kind arrived for a run or a test send. Only the sum over the slots is meaningful. */
export const EventCount = defineEntity({
  name: 'EventCount',
  tableName: 'event_counts',
  properties: {
    workspaceId: p.uuid().primary(),
    originId: p.uuid().primary(),
    kind: p.text().$type<MessageEventKind>().primary(),
    slot: p.smallint().primary(),
    count: p.integer(),
  },
})

const addCounts = statement('add-event-counts')

/**
 * Counts the events. Rows are always written in the same order, so that consumers cannot deadlock. Each database session
 * writes its own slot.
 */
export async function countEvents(
  em: Em,
  workspaceId: string,
  events: readonly { originId: string; kind: string }[],
): Promise<void> {
  if (events.length === 0) return
  const counts = new Map<string, { originId: string; kind: string; count: number }>()
  for (const { originId, kind } of events) {
    const key = `${originId} ${kind}`
    const known = counts.get(key)
    if (known) known.count += 1
    else counts.set(key, { originId, kind, count: 1 })
  }
  const all = [...counts.values()]
  await addCounts.execute(
    em,
    prepared(sql`insert into event_counts as known (workspace_id, origin_id, kind, slot, count)
        select ${workspaceId}::uuid, t.origin_id, t.kind, pg_backend_pid() % 16, t.count
          from unnest(${all.map(({ originId }) => originId)}::uuid[], ${all.map(({ kind }) => kind)}::text[], ${all.map(({ count }) => count)}::integer[]) as t (origin_id, kind, count)
         order by 2, 3
        on conflict (workspace_id, origin_id, kind, slot) do update set count = known.count + excluded.count`),
  )
}

export type EventTotals = Record<MessageEventKind, number>

const sumCounts = statement('sum-event-counts', columns(EventCount, 'origin_id', 'kind', 'count'))

/** Returns the event counts of these runs or test sends for all seven kinds. */
export async function eventTotals(
  em: Em,
  workspaceId: string,
  originIds: readonly string[],
): Promise<(originId: string) => EventTotals> {
  const found = await sumCounts.rows(
    em,
    sql`select origin_id, kind, sum(count)::int as count from event_counts
         where workspace_id = ${workspaceId} and origin_id = any(${[...originIds]}::uuid[]) group by 1, 2`,
  )
  const byOrigin = Map.groupBy(found, ({ origin_id }) => origin_id)
  return (originId) => {
    const counts = new Map(byOrigin.get(originId)?.map(({ kind, count }) => [kind, count]))
    return Object.fromEntries(eventKinds.map((kind) => [kind, counts.get(kind) ?? 0])) as EventTotals
  }
}
