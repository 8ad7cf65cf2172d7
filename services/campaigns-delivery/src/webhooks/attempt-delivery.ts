import { postEvent } from '@lettergate/webhooks/post-event'
import { decideAttempt, nextAttemptInMs, type AttemptDecision } from '@lettergate/webhooks/retry'
import type { Ctx } from '../ctx.ts'
import type { DeliveryRow } from './campaign-webhook-delivery.entity.ts'
import { readWebhook } from './campaign-webhook.entity.ts'
import { composeBody } from './compose-body.ts'
import { settleAttempt, type AttemptResult } from './settle-attempt.ts'
import { openSecret } from './webhook-secret.ts'

/**
 * Makes one attempt of a delivery with the current URL and secret and stores the result. After a crash the receiver may get
 * the event twice with the same webhook-id, but never not at all.
 */
export async function attemptDelivery(ctx: Ctx, delivery: DeliveryRow): Promise<DeliveryRow> {
  const { workspaceId, config } = ctx
  const isTest = delivery.type === 'campaign_webhook.test'
  const webhook = await ctx.tx((em) => readWebhook(em, workspaceId))
  const { url, sealedSecret: sealed } = webhook
  const unwanted = url === null || sealed === null ? 'webhook_removed' : !isTest && webhook.disabledAt !== null
  if (unwanted !== false)
    return settleAttempt(ctx, delivery, { kind: 'failed', reason: unwanted === true ? 'webhook_disabled' : unwanted })

  const body = delivery.body ?? (await composeBody(ctx, delivery))
  const at = new Date()
  const started = performance.now()
  const secret = openSecret(config.campaignWebhookKeys, workspaceId, sealed!)
  const response =
    secret === undefined
      ? undefined
      : await postEvent(
          { id: delivery.id, url: url!, secret, body, at },
          { allowPrivate: config.campaignWebhookAllowPrivate, timeoutMs: config.campaignWebhookTimeoutMs },
        )
  const decision: AttemptDecision = response ? decideAttempt(response) : { kind: 'retry', error: 'secret_unreadable' }
  const attempt = {
    at: at.toISOString(),
    status: response?.kind === 'answered' ? response.status : null,
    error: decision.kind === 'accepted' ? null : decision.error,
    ms: Math.round(performance.now() - started),
  }
  if (decision.kind !== 'accepted')
    ctx.log.warn(
      { webhook_id: delivery.id, run_id: delivery.run_id, attempt },
      'a campaign webhook delivery was not accepted',
    )
  const firstAt = delivery.attempts[0]?.at ?? attempt.at
  const waitMs = nextAttemptInMs(delivery.attempt_count, {
    sinceFirstMs: Date.now() - Date.parse(firstAt),
    retryAfterMs: response?.kind === 'answered' ? response.retryAfterMs : 0,
    random: Math.random(),
  })
  return settleAttempt(ctx, delivery, {
    ...attemptResultOf(decision, isTest ? null : waitMs, isTest),
    attempt,
    url: url!,
  })
}

function attemptResultOf(decision: AttemptDecision, waitMs: number | null, isTest: boolean): AttemptResult {
  if (decision.kind === 'accepted') return { kind: 'delivered' }
  if (isTest) return { kind: 'failed', reason: decision.error }
  if (decision.kind === 'gone') return { kind: 'disable', reason: 'gone' }
  return waitMs === null ? { kind: 'disable', reason: 'undelivered_for_24_hours' } : { kind: 'retry', waitMs }
}
