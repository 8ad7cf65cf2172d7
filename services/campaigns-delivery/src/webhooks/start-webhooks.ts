import { Counter } from 'prom-client'
import { repeat, systemCaller, type CallScope, type Part, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import type { WaitingWork } from '../waiting-work.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { takeDueDeliveries, type DeliveryRow } from './campaign-webhook-delivery.entity.ts'
import { purgeWebhookDeliveries } from './purge-webhook-deliveries.ts'

/** Attempts of one worker under way at once: enough for sixteen workspaces with receivers that never answer. */
const atOnce = 64
const takeEveryMs = 500
const purgeEveryMs = 3_600_000

interface Parts {
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
  work: WaitingWork
}

/**
 * Delivers campaign webhooks in any number of workers. A slow receiver only delays its own deliveries. `stop` takes no new
 * deliveries and waits for those under way.
 */
export function startWebhooks(service: Service, { ctx, work }: Parts): Part {
  const attempts = new Counter({
    name: 'lettergate_campaign_webhook_attempts_total',
    help: 'Requests to receivers of campaign webhooks, by result',
    labelNames: ['result'],
    registers: [service.metrics],
  })
  const running = new Set<Promise<void>>()
  const ownCtx = (workspaceId: string, correlationId: string) =>
    ctx.ofCall({
      caller: { ...systemCaller('deliver-webhooks', correlationId), workspaceId },
      deadline: Infinity,
      signal: new AbortController().signal,
    })

  async function attempt(delivery: DeliveryRow): Promise<void> {
    try {
      const { state, attempts: made } = await attemptDelivery(ownCtx(delivery.workspace_id, delivery.id), delivery)
      attempts.inc({ result: state === 'pending' ? (made.at(-1)?.error ?? 'again') : state })
    } catch (error) {
      service.log.warn(
        { err: error, webhook_id: delivery.id },
        'a webhook delivery attempt failed; it is retried when its lease ends',
      )
    }
  }

  const takeDue = async () => {
    const room = atOnce - running.size
    if (room === 0) return
    for (const delivery of await ctx.ofSystem('deliver-webhooks').tx((em) => takeDueDeliveries(em, room))) {
      const attempted = attempt(delivery).finally(() => running.delete(attempted))
      running.add(attempted)
    }
  }
  const looking = work.job('deliver-webhooks', {
    everyMs: takeEveryMs,
    waiting: "select from campaign_webhook_deliveries where state = 'pending' and next_attempt_at <= now()",
    run: takeDue,
  })
  const purging = repeat(service, 'purge-webhook-deliveries', purgeEveryMs, () =>
    purgeWebhookDeliveries(ctx.ofSystem('purge-webhook-deliveries')),
  )
  return {
    async stop() {
      await Promise.all([looking.stop(), purging.stop()])
      await Promise.all(running)
    },
  }
}
