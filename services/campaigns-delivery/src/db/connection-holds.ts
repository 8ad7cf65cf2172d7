import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'
import { restMs, singlesMs, type HoldReason } from '../domain/delivery/backoff.ts'

export const ConnectionHolds = defineEntity({
  name: 'ConnectionHold',
  tableName: 'connection_holds',
  properties: {
    workspaceId: p.uuid().primary(),
    connectionId: p.uuid().primary(),
    until: p.datetime(),
    failures: p.integer(),
    singlesUntil: p.datetime().nullable(),
    reason: p.text().$type<HoldReason>(),
    updatedAt: p.datetime(),
  },
})

/** Whether a connection may be called now, and whether with one person a call. */
export type Permission = { kind: 'open' } | { kind: 'trial'; singles: boolean } | { kind: 'resting'; until: Date }

/** While a trial call is under way nobody else makes one. */
const trialMs = 20_000

/**
 * Asks for the right to call a connection, in the transaction that claims. After a rest exactly one worker is given a trial;
 * the others rest on until it succeeded. A connection without trouble costs one look-up.
 */
export async function askConnection(em: Em, workspaceId: string, connectionId: string): Promise<Permission> {
  const hold = await row<{ until: string; resting: boolean; singles: boolean }>(
    em,
    sql`select until, until > clock_timestamp() as resting, coalesce(singles_until > clock_timestamp(), false) as singles
          from connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} for update`,
  )
  if (!hold) return { kind: 'open' }
  if (hold.resting) return { kind: 'resting', until: new Date(hold.until) }
  await row(
    em,
    sql`update connection_holds set until = clock_timestamp() + ${trialMs} * interval '1 ms', updated_at = now() where workspace_id = ${workspaceId} and connection_id = ${connectionId}`,
  )
  return { kind: 'trial', singles: hold.singles }
}

/** Lets a connection rest after a failure, longer after each in a row. Answers until when, and whether it was without trouble before. */
export async function restConnection(
  em: Em,
  at: { workspaceId: string; connectionId: string },
  failure: { reason: HoldReason; retryAfterMs: number },
): Promise<{ until: Date; isNew: boolean }> {
  const { workspaceId, connectionId } = at
  const known = await row<{ failures: number; updated_at: string }>(
    em,
    sql`select failures from connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} for update`,
  )
  const failures = (known?.failures ?? 0) + 1
  const ms = restMs(failure.reason, failures, failure.retryAfterMs)
  const singles = failure.reason === 'ambiguous' ? ms + singlesMs : null
  const rested = await row<{ until: string }>(
    em,
    sql`insert into connection_holds as held (workspace_id, connection_id, until, failures, singles_until, reason)
        values (${workspaceId}, ${connectionId}, clock_timestamp() + ${ms} * interval '1 ms', ${failures}, clock_timestamp() + ${singles}::float8 * interval '1 ms', ${failure.reason})
        on conflict (workspace_id, connection_id) do update
          set until = greatest(held.until, excluded.until), failures = excluded.failures, reason = excluded.reason, updated_at = now(),
              singles_until = greatest(held.singles_until, excluded.singles_until)
        returning until`,
  )
  return { until: new Date(rested!.until), isNew: known === undefined }
}

/** A call succeeded: the connection is open again, or, while it gets single calls, open for the next one. */
export async function trustConnection(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  await row(
    em,
    sql`delete from connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} and coalesce(singles_until <= clock_timestamp(), true)`,
  )
  await row(
    em,
    sql`update connection_holds set until = clock_timestamp(), failures = 0, updated_at = now() where workspace_id = ${workspaceId} and connection_id = ${connectionId}`,
  )
}
