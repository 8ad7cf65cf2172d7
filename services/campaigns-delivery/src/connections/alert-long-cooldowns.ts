import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { cooldownAlertMinutes, cooldownAlertRepeatMinutes } from './backoff.ts'
import { ConnectionHold } from './connection-hold.entity.ts'

const connectionsAtOnce = 100

const isLong = sql`failures > 0 and until > now() and until > cooling_since + ${cooldownAlertMinutes} * interval '1 minute'
  and (alerted_at is null or alerted_at < now() - ${cooldownAlertRepeatMinutes} * interval '1 minute')`

const selectLong = statement('select-long-cooldowns', {
  ...columns(ConnectionHold, 'workspace_id'),
  id: column.uuid(),
})

/**
 * Raises an alert for each connection whose cooldown lasts longer than 15 minutes, or is already known to last longer.
 * Repeats the alert every six hours. Only one worker raises it.
 */
export async function alertLongCooldowns(ctx: Ctx, each: OneByOne): Promise<void> {
  const long = await ctx.tx((em) =>
    selectLong.rows(
      em,
      sql`select workspace_id, connection_id as id from connection_holds
           where ${isLong} and connection_id <> all(${each.postponed()}::uuid[]) order by cooling_since limit ${connectionsAtOnce}`,
    ),
  )
  await each.forEach(long, ({ workspace_id, id }) =>
    ctx.inWorkspace(workspace_id).tx((em) => alert(em, workspace_id, id)),
  )
}

const takeAlert = statement(
  'take-alert-of-cooldown',
  columns(ConnectionHold, 'cooling_since', 'until', 'reason', 'failures'),
)

async function alert(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  const long = await takeAlert.row(
    em,
    sql`update connection_holds set alerted_at = now()
         where workspace_id = ${workspaceId} and connection_id = ${connectionId} and ${isLong}
        returning cooling_since, until, reason, failures`,
  )
  if (!long) return
  await publish(em, AlertRaisedSchema, {
    code: 'connection_cooldown',
    severity: 'warning',
    summary:
      'A provider connection has been in cooldown for more than 15 minutes, or will be: nothing is sent through it. Its recipients stay pending; none is lost.',
    about: connectionId,
    detail: {
      connection_id: connectionId,
      reason: long.reason,
      failures: long.failures,
      since: new Date(long.cooling_since).toISOString(),
      until: new Date(long.until).toISOString(),
    },
  })
}
