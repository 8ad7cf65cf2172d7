import { kyselyOf, sql } from '@lettergate/database'
import { postEvent } from '@lettergate/webhooks/post-event'
import { decideAttempt, nextAttemptInMs } from '@lettergate/webhooks/retry'
import type { Ctx } from '../ctx.ts'
import { AlertNotice, takeDueNotices, type NoticeRow } from './alert-notice.entity.ts'

const atOnce = 16
const timeoutMs = 15_000

export interface AlertWebhook {
  url: string
  secret: string
  allowPrivate: boolean
}

/**
 * Posts due notices to the alert webhook, each until the receiver answers 2xx, with retries over 24 hours. After a crash the
 * receiver may get a notice twice with the same webhook-id. Any number of replicas may run it.
 */
export async function deliverNotices(ctx: Ctx, webhook: AlertWebhook): Promise<'finished' | 'unfinished'> {
  const due = await ctx.tx((em) => takeDueNotices(em, atOnce))
  await Promise.all(due.map((notice) => attempt(ctx, webhook, notice)))
  return due.length === atOnce ? 'unfinished' : 'finished'
}

async function attempt(ctx: Ctx, { url, secret, allowPrivate }: AlertWebhook, notice: NoticeRow): Promise<void> {
  const at = new Date()
  const event = { id: notice.id, url, secret, body: notice.body, at }
  const response = await postEvent(event, { allowPrivate, timeoutMs })
  const decision = decideAttempt(response)
  const isDelivered = decision.kind === 'accepted'
  const waitMs = isDelivered
    ? null
    : nextAttemptInMs(notice.attempt_count, {
        sinceFirstMs: at.getTime() - Date.parse(notice.first_attempt_at ?? at.toISOString()),
        retryAfterMs: response.kind === 'answered' ? response.retryAfterMs : 0,
        random: Math.random(),
      })
  const error = isDelivered ? null : decision.error
  if (!isDelivered)
    ctx.log[waitMs === null ? 'error' : 'warn'](
      { webhook_id: notice.id, alert_id: notice.alert_id, attempt: notice.attempt_count, error },
      waitMs === null
        ? 'an alert could not be delivered to the alert webhook and is given up'
        : 'an alert was not accepted by the alert webhook; it will be retried',
    )
  await ctx.tx((em) =>
    kyselyOf(em, AlertNotice)
      .updateTable('alert_notices')
      .set({
        delivered_at: isDelivered ? sql`now()` : null,
        next_attempt_at: sql`clock_timestamp() + ${waitMs}::float8 * interval '1 ms'`,
        last_error: error,
      })
      .where('id', '=', notice.id)
      .where('attempt_count', '=', notice.attempt_count)
      .execute(),
  )
}
