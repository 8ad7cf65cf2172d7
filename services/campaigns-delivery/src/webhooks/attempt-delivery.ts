import type { Ctx } from '../ctx.ts'
import type { DeliveryRow } from './campaign-webhook-delivery.entity.ts'
import { readWebhook } from './campaign-webhook.entity.ts'
import { composeBody } from './compose-body.ts'
import { postEvent } from './post-event.ts'
import { nextAttemptInMs, verdictOf, type Verdict } from './retry.ts'
import { settleAttempt, type Outcome } from './settle-attempt.ts'
import { open } from './webhook-secret.ts'

/**
 * Makes one attempt of a delivery that was taken for it, with the URL and secret of this moment, and writes down what came of
 * it. A receiver may be told twice, by the same webhook-id, when we die in between; it is never told nothing by that.
 */
export async function attemptDelivery(ctx: Ctx, delivery: DeliveryRow): Promise<DeliveryRow> {
  const { workspaceId, config } = ctx
  const isTest = delivery.type === 'campaign_webhook.test'
  const webhook = await ctx.tx((em) => readWebhook(em, workspaceId))
  const { url, sealed_secret: sealed } = webhook
  const unwanted = url === null || sealed === null ? 'webhook_removed' : !isTest && webhook.disabled_at !== null
  if (unwanted !== false)
    return settleAttempt(ctx, delivery, { kind: 'failed', reason: unwanted === true ? 'webhook_disabled' : unwanted })

  const body = delivery.body ?? (await composeBody(ctx, delivery))
  const at = new Date()
  const started = performance.now()
  const secret = open(config.campaignWebhookKeys, workspaceId, sealed!)
  const answer =
    secret === undefined
      ? undefined
      : await postEvent(
          { id: delivery.id, url: url!, secret, body, at },
          { allowPrivate: config.campaignWebhookAllowPrivate, timeoutMs: config.campaignWebhookTimeoutMs },
        )
  const verdict: Verdict = answer ? verdictOf(answer) : { kind: 'again', error: 'secret_unreadable' }
  const attempt = {
    at: at.toISOString(),
    status: answer?.kind === 'answered' ? answer.status : null,
    error: verdict.kind === 'taken' ? null : verdict.error,
    ms: Math.round(performance.now() - started),
  }
  if (verdict.kind !== 'taken')
    ctx.log.warn({ webhook_id: delivery.id, run_id: delivery.run_id, attempt }, 'a campaign webhook was not taken')
  const firstAt = delivery.attempts[0]?.at ?? attempt.at
  const waitMs = nextAttemptInMs(delivery.attempt_count, {
    sinceFirstMs: Date.now() - Date.parse(firstAt),
    retryAfterMs: answer?.kind === 'answered' ? answer.retryAfterMs : 0,
    random: Math.random(),
  })
  return settleAttempt(ctx, delivery, { ...outcomeOf(verdict, isTest ? null : waitMs, isTest), attempt, url: url! })
}

function outcomeOf(verdict: Verdict, waitMs: number | null, isTest: boolean): Outcome {
  if (verdict.kind === 'taken') return { kind: 'delivered' }
  if (isTest) return { kind: 'failed', reason: verdict.error }
  if (verdict.kind === 'unwanted') return { kind: 'disabling', reason: 'gone' }
  return waitMs === null ? { kind: 'disabling', reason: 'undelivered_for_24_hours' } : { kind: 'again', waitMs }
}
