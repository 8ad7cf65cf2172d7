import { defineEntity, p } from '@mikro-orm/core'
import { columns, kyselyOf, sql, statement, type Em, type Row } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import type { DeliveryState, WebhookType } from './types.ts'

/** One request to a receiver and its result. */
export interface WebhookAttempt {
  at: string
  /** status of the response; null without a response */
  status: number | null
  /** null when the receiver accepted it */
  error: string | null
  ms: number
}

export const CampaignWebhookDelivery = defineEntity({
  name: 'CampaignWebhookDelivery',
  tableName: 'campaign_webhook_deliveries',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    type: p.text().$type<WebhookType>(),
    runId: p.uuid().nullable(),
    runState: p.text().nullable(),
    body: p.text().nullable(),
    state: p.text().$type<DeliveryState>().default('pending'),
    failureReason: p.text().nullable(),
    attempts: p.json<WebhookAttempt[]>().defaultRaw(`'[]'`),
    attemptCount: p.smallint().default(0),
    occurredAt: p.datetime().defaultRaw('clock_timestamp()'),
    nextAttemptAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
    settledAt: p.datetime().nullable(),
  },
})

export type DeliveryRow = Row<typeof CampaignWebhookDelivery>

const takeDue = statement('take-due-webhook-deliveries', columns(CampaignWebhookDelivery))
const deleteSettled = statement('delete-settled-webhook-deliveries')

/** How long a delivery waits when its worker died during an attempt. */
const leaseSeconds = 60
/** Attempts that one workspace may have under way at once, so that a slow receiver does not delay other workspaces. */
const perWorkspace = 4

/**
 * Takes due deliveries and counts the attempt before it is made. Takes a few of each workspace, first of those with the
 * fewest attempts under way, oldest first. The query uses indexes to go from workspace to workspace, without reading other
 * waiting rows.
 */
export const takeDueDeliveries = (em: Em, room: number): Promise<DeliveryRow[]> =>
  takeDue.rows(
    em,
    sql`with recursive waiting as (
          (select workspace_id from campaign_webhook_deliveries where state = 'pending' order by workspace_id limit 1)
          union all
          select (select d.workspace_id from campaign_webhook_deliveries d
                   where d.state = 'pending' and d.workspace_id > w.workspace_id order by d.workspace_id limit 1)
            from waiting w where w.workspace_id is not null),
        candidate as (
          select w.workspace_id, d.id, d.next_attempt_at, under_way.count + row_number() over (partition by w.workspace_id order by d.next_attempt_at, d.id) as place
            from waiting w
            cross join lateral (select count(*) from campaign_webhook_deliveries o
                                 where o.workspace_id = w.workspace_id and o.state = 'pending' and o.leased_until > now()) under_way
            cross join lateral (select d.id, d.next_attempt_at from campaign_webhook_deliveries d
                                 where d.workspace_id = w.workspace_id and d.state = 'pending' and d.next_attempt_at <= now()
                                   and coalesce(d.leased_until <= now(), true)
                                 order by d.next_attempt_at, d.id limit ${perWorkspace}) d),
        due as (
          select d.workspace_id, d.id from candidate c
            join campaign_webhook_deliveries d on d.workspace_id = c.workspace_id and d.id = c.id
           where c.place <= ${perWorkspace} and d.state = 'pending' and coalesce(d.leased_until <= now(), true)
           order by c.place, c.next_attempt_at, d.id limit ${room} for update of d skip locked)
        update campaign_webhook_deliveries d set leased_until = now() + ${leaseSeconds} * interval '1 second', attempt_count = d.attempt_count + 1
          from due where d.workspace_id = due.workspace_id and d.id = due.id returning d.*`,
  )

/** Fails all pending deliveries of this workspace. */
export async function dropPending(em: Em, workspaceId: string, reason: string): Promise<number> {
  const { numUpdatedRows } = await kyselyOf(em, CampaignWebhookDelivery)
    .updateTable('campaign_webhook_deliveries')
    .set({
      state: 'failed',
      failure_reason: reason,
      settled_at: sql`clock_timestamp()`,
      next_attempt_at: null,
      leased_until: null,
    })
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Deletes at most `most` deliveries that were settled more than `days` days ago, oldest first. Returns how many. */
export const deleteSettledDeliveries = (em: Em, { days, most }: { days: number; most: number }): Promise<number> =>
  deleteSettled.execute(
    em,
    sql`with old as (
          select workspace_id, id from campaign_webhook_deliveries
           where settled_at < now() - ${days} * interval '1 day' order by settled_at limit ${most} for update skip locked)
        delete from campaign_webhook_deliveries d using old where d.workspace_id = old.workspace_id and d.id = old.id`,
  )

/** The delivery as the console shows it. */
export const deliveryReply = (delivery: DeliveryRow) => ({
  id: delivery.id,
  type: delivery.type,
  ...(delivery.run_id === null ? {} : { campaignRunId: delivery.run_id }),
  state: delivery.state,
  ...(delivery.failure_reason === null ? {} : { failureReason: delivery.failure_reason }),
  attemptCount: delivery.attempt_count,
  attempts: delivery.attempts.map(({ at, status, error, ms }) => ({
    at: moment(at),
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    durationMs: ms,
  })),
  occurredAt: moment(delivery.occurred_at),
  nextAttemptAt: moment(delivery.next_attempt_at),
  settledAt: moment(delivery.settled_at),
})
