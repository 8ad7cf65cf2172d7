import { defineEntity, p } from '@mikro-orm/core'
import { columns, newId, sql, statement, type Em, type Row } from '@lettergate/database'

export type NoticeType = 'alert.raised' | 'alert.acknowledged'

/** One event for the alert webhook of the platform, with its attempts. Deleted with its alert. */
export const AlertNotice = defineEntity({
  name: 'AlertNotice',
  tableName: 'alert_notices',
  properties: {
    /** the webhook-id */
    id: p.uuid().primary(),
    alertId: p.uuid(),
    body: p.text(),
    attemptCount: p.smallint().default(0),
    firstAttemptAt: p.datetime().nullable(),
    /** null when it was delivered or given up */
    nextAttemptAt: p.datetime().nullable(),
    deliveredAt: p.datetime().nullable(),
    lastError: p.text().nullable(),
  },
})

export type NoticeRow = Row<typeof AlertNotice>

const insertNotices = statement('insert-alert-notices')
const takeDue = statement('take-due-alert-notices', columns(AlertNotice))

export const appendNotices = (em: Em, notices: readonly { alertId: string; body: string }[]): Promise<number> =>
  insertNotices.execute(
    em,
    sql`insert into alert_notices (id, alert_id, body, next_attempt_at)
        select id, alert_id, body, now()
          from unnest(${notices.map(() => newId())}::uuid[], ${notices.map(({ alertId }) => alertId)}::uuid[],
                      ${notices.map(({ body }) => body)}::text[]) as n (id, alert_id, body)`,
  )

/** How long a notice waits when its process died during an attempt. */
const leaseSeconds = 60

/** Takes due notices, oldest first, and counts the attempt before it is made. */
export const takeDueNotices = (em: Em, most: number): Promise<NoticeRow[]> =>
  takeDue.rows(
    em,
    sql`update alert_notices n set attempt_count = n.attempt_count + 1, first_attempt_at = coalesce(n.first_attempt_at, now()),
               next_attempt_at = now() + ${leaseSeconds} * interval '1 second'
          from (select id from alert_notices where next_attempt_at <= now() order by next_attempt_at, id
                 limit ${most} for update skip locked) due
         where n.id = due.id returning n.*`,
  )
