import { defineEntity, p } from '@mikro-orm/core'
import { execute, rows, sql, type Em } from '@lettergate/database'
import { eventKinds, type EventKind } from '../domain/delivery/outcome.ts'

export const TestEventCounts = defineEntity({
  name: 'TestEventCount',
  tableName: 'test_event_counts',
  properties: {
    workspaceId: p.uuid().primary(),
    testSendId: p.uuid().primary(),
    kind: p.text().$type<EventKind>().primary(),
    count: p.integer(),
  },
})

/** Adds one for each kind in the list; the caller has locked the test send. */
export async function countTestEvents(
  em: Em,
  workspaceId: string,
  testSendId: string,
  kinds: readonly string[],
): Promise<void> {
  const counts = [...Map.groupBy(kinds, (kind) => kind)].sort(([a], [b]) => (a < b ? -1 : 1))
  await execute(
    em,
    sql`insert into test_event_counts as known (workspace_id, test_send_id, kind, count)
        select ${workspaceId}::uuid, ${testSendId}::uuid, t.* from unnest(${counts.map(([kind]) => kind)}::text[], ${counts.map(([, all]) => all.length)}::integer[]) as t
        on conflict (workspace_id, test_send_id, kind) do update set count = known.count + excluded.count`,
  )
}

export type TestEvents = Record<EventKind, number>

/** Events by the envelope's seven kinds, none missing, for each of these test sends. */
export async function testEventCounts(
  em: Em,
  workspaceId: string,
  testSendIds: readonly string[],
): Promise<(testSendId: string) => TestEvents> {
  const found = await rows<{ test_send_id: string; kind: EventKind; count: number }>(
    em,
    sql`select test_send_id, kind, count from test_event_counts where workspace_id = ${workspaceId} and test_send_id = any(${[...testSendIds]}::uuid[])`,
  )
  const byId = Map.groupBy(found, ({ test_send_id }) => test_send_id)
  return (testSendId) => {
    const counts = new Map(byId.get(testSendId)?.map(({ kind, count }) => [kind, count]))
    return Object.fromEntries(eventKinds.map((kind) => [kind, counts.get(kind) ?? 0])) as TestEvents
  }
}
