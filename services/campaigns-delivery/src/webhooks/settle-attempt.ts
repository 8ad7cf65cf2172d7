import { AlertRaisedSchema, AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import {
  CampaignWebhookDelivery,
  dropPending,
  type DeliveryRow,
  type WebhookAttempt,
} from './campaign-webhook-delivery.entity.ts'
import { CampaignWebhook } from './campaign-webhook.entity.ts'
import type { DeliveryState } from './types.ts'

export type AttemptResult =
  | { kind: 'delivered' }
  | { kind: 'retry'; waitMs: number }
  | { kind: 'failed'; reason: string }
  /** the delivery failed and the webhook is disabled */
  | { kind: 'disable'; reason: 'undelivered_for_24_hours' | 'gone' }

/** Stores the result of one attempt by compare-and-set. If another worker took or dropped the delivery, its result is kept. */
export async function settleAttempt(
  ctx: Ctx,
  delivery: DeliveryRow,
  result: AttemptResult & { attempt?: WebhookAttempt; url?: string },
): Promise<DeliveryRow> {
  const { workspaceId } = ctx
  const state: DeliveryState =
    result.kind === 'delivered' ? 'delivered' : result.kind === 'retry' ? 'pending' : 'failed'
  const reason = 'reason' in result ? result.reason : null
  const waitMs = result.kind === 'retry' ? result.waitMs : null
  const attempt = JSON.stringify(result.attempt ? [result.attempt] : [])
  return ctx.tx(async (em) => {
    const settled = await kyselyOf(em, CampaignWebhookDelivery)
      .updateTable('campaign_webhook_deliveries')
      .set({
        state,
        failure_reason: reason,
        attempts: sql`attempts || ${attempt}::jsonb`,
        leased_until: null,
        next_attempt_at: sql`clock_timestamp() + ${waitMs}::float8 * interval '1 ms'`,
        settled_at: state === 'pending' ? null : sql`clock_timestamp()`,
      })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', delivery.id)
      .where('state', '=', 'pending')
      .where('attempt_count', '=', delivery.attempt_count)
      .returningAll()
      .executeTakeFirst()
    if (settled && result.kind === 'disable') await disable(em, ctx, { ...result, deliveryId: delivery.id })
    return settled ?? delivery
  })
}

/** Disables a webhook whose receiver accepts nothing, unless a new URL was set in the meantime. Raises an alert. */
async function disable(
  em: Em,
  ctx: Ctx,
  { reason, url, deliveryId }: { reason: string; url?: string; deliveryId: string },
) {
  const { workspaceId } = ctx
  const { numUpdatedRows: disabled } = await kyselyOf(em, CampaignWebhook)
    .updateTable('campaign_webhooks')
    .set({ disabled_at: sql`clock_timestamp()`, disabled_reason: reason })
    .where('workspace_id', '=', workspaceId)
    .where('disabled_at', 'is', null)
    .where('url', '=', url ?? null)
    .executeTakeFirst()
  if (disabled === 0n) return
  const dropped = await dropPending(em, workspaceId, 'webhook_disabled')
  await publish(em, AuditRecordedSchema, {
    action: 'campaign_webhook_disabled',
    subjectType: 'campaign_webhook',
    subjectId: workspaceId,
    actor: ctx.caller.actor,
    detail: { reason },
  })
  await publish(em, AlertRaisedSchema, {
    code: 'campaign_webhook_disabled',
    severity: 'warning',
    summary: 'A campaign webhook accepts no deliveries and was disabled. Setting it again enables it.',
    about: workspaceId,
    detail: { reason, delivery_id: deliveryId, dropped },
  })
}
