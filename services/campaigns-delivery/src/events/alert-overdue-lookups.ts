import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import { lookupAlertLastsMinutes, lookupAlertMinutes, lookupAlertRepeatMinutes } from '../connections/backoff.ts'
import type { Ctx } from '../ctx.ts'
import { HandOff } from '../delivery/hand-off.entity.ts'

const connectionsAtOnce = 100

/** A query that finds a row when the lookups of a hand-off are overdue. */
export const overdueLookups = `select from hand_offs
  where state = 'unknown' and next_lookup_at is not null and claimed_at < now() - interval '${lookupAlertMinutes} minutes'`

const isOverdue = sql`(h.state = 'unknown' and h.next_lookup_at is not null and h.claimed_at < now() - ${lookupAlertMinutes} * interval '1 minute')`
const wasNamed = sql`(h.lookup_alerted_at > now() - ${lookupAlertRepeatMinutes} * interval '1 minute')`

const oldestColumns = columns(HandOff, 'workspace_id', 'id', 'connection_id')
const selectOldest = statement('select-overdue-lookups', oldestColumns)

/**
 * Raises an alert for each connection with an unknown hand-off whose last planned lookup is overdue, because the provider is
 * unavailable or refuses every lookup. Repeats the alert every 15 minutes, so that it ends by itself soon after the provider
 * answered. Only one worker raises it.
 */
export async function alertOverdueLookups(ctx: Ctx, each: OneByOne): Promise<void> {
  const oldest = await ctx.tx((em) =>
    selectOldest.rows(
      em,
      sql`select distinct on (h.workspace_id, h.connection_id) h.workspace_id, h.id, h.connection_id from hand_offs h
           where ${isOverdue} and h.id <> all(${each.postponed()}::uuid[])
             and not exists (select from hand_offs o where o.workspace_id = h.workspace_id and o.connection_id = h.connection_id and o.state = 'unknown'
                                and o.lookup_alerted_at > now() - ${lookupAlertRepeatMinutes} * interval '1 minute')
           order by h.workspace_id, h.connection_id, h.claimed_at limit ${connectionsAtOnce}`,
    ),
  )
  await each.forEach(oldest, (handOff) => ctx.inWorkspace(handOff.workspace_id).tx((em) => alert(em, handOff)))
}

const takeAlert = statement('take-alert-of-lookup', {
  ...columns(HandOff, 'kind', 'origin_id', 'claimed_at', 'lookups'),
  hand_offs: column.integer(),
})

async function alert(em: Em, { workspace_id, id, connection_id }: RowOf<typeof oldestColumns>): Promise<void> {
  const oldest = await takeAlert.row(
    em,
    sql`update hand_offs h set lookup_alerted_at = now()
         where h.workspace_id = ${workspace_id} and h.id = ${id} and ${isOverdue} and ${wasNamed} is not true
        returning h.kind, h.origin_id, h.claimed_at, h.lookups, (
          select count(*)::int from hand_offs h where h.workspace_id = ${workspace_id} and h.connection_id = ${connection_id} and ${isOverdue}) as hand_offs`,
  )
  if (!oldest) return
  await publish(em, AlertRaisedSchema, {
    code: 'hand_off_lookup_overdue',
    severity: 'warning',
    summary:
      'The provider has not answered the lookups of hand-offs with an unknown result for an hour. Their messages stay unknown and are never sent again automatically.',
    about: connection_id,
    lastsSeconds: lookupAlertLastsMinutes * 60,
    detail: {
      connection_id,
      hand_offs: oldest.hand_offs,
      [`${oldest.kind}_id`]: oldest.origin_id,
      hand_off_id: id,
      since: new Date(oldest.claimed_at).toISOString(),
      answered_lookups: oldest.lookups,
    },
  })
}
