import { defineEntity, p } from '@mikro-orm/core'
import { column, sql, statement, type Em } from '@lettergate/database'
import type { SendingRoute } from './connection-hold.entity.ts'
import { creditMs } from './pace.ts'

export const ConnectionPace = defineEntity({
  name: 'ConnectionPace',
  tableName: 'connection_paces',
  properties: {
    workspaceId: p.uuid().primary(),
    connectionId: p.uuid().primary(),
    paidUntil: p.datetime(),
  },
})

const lock = statement('lock-pace', { ahead: column.double() })

/**
 * Returns for how many milliseconds after the current database time the connection's rate is already used up. Holds the row
 * lock until the transaction ends, so that the rate is exact across all workers.
 */
export async function lockPace(em: Em, { workspaceId, connectionId }: SendingRoute): Promise<number> {
  const known = await lock.row(
    em,
    sql`insert into connection_paces as known (workspace_id, connection_id, paid_until)
        values (${workspaceId}, ${connectionId}, clock_timestamp() - ${creditMs} * interval '1 ms')
        on conflict (workspace_id, connection_id) do update set paid_until = known.paid_until
        returning extract(epoch from paid_until - clock_timestamp())::float8 * 1000 as ahead`,
  )
  return known!.ahead
}

const store = statement('store-pace')

/** Stores how much of the rate the next messages use. */
export async function storePace(em: Em, { workspaceId, connectionId }: SendingRoute, aheadMs: number): Promise<void> {
  await store.execute(
    em,
    sql`update connection_paces set paid_until = clock_timestamp() + ${aheadMs}::float8 * interval '1 ms' where workspace_id = ${workspaceId} and connection_id = ${connectionId}`,
  )
}
