import type {
  TestCampaignWebhookRequest,
  TestCampaignWebhookResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, row, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { deliveryReply, type DeliveryRow } from './campaign-webhook-delivery.entity.ts'
import { readWebhook } from './campaign-webhook.entity.ts'

/** Longer than one attempt, so that no worker takes the test delivery meanwhile. */
const leaseSeconds = 60

/**
 * Posts one signed event of type `campaign_webhook.test` now and returns the result. It is tried once, also while the
 * webhook is disabled, and does not enable or disable it.
 */
export async function testCampaignWebhook(
  ctx: Ctx,
  _req: TestCampaignWebhookRequest,
): Promise<Reply<typeof TestCampaignWebhookResponseSchema>> {
  const { workspaceId } = ctx
  const delivery = await ctx.tx(async (em) => {
    const { url, sealed_secret } = await readWebhook(em, workspaceId)
    if (url === null || sealed_secret === null)
      throw new Fault(
        'failed_precondition',
        'campaign_webhook',
        'Set campaign_webhook_url and campaign_webhook_secret first: without both nothing is posted.',
      )
    await publish(em, AuditRecordedSchema, {
      action: 'campaign_webhook_tested',
      subjectType: 'campaign_webhook',
      subjectId: workspaceId,
      actor: ctx.caller.actor,
      detail: {},
    })
    return row<DeliveryRow>(
      em,
      sql`insert into campaign_webhook_deliveries (workspace_id, id, type, attempt_count, leased_until)
          values (${workspaceId}, ${newId()}, 'campaign_webhook.test', 1, now() + ${leaseSeconds} * interval '1 second') returning *`,
    )
  })
  return { delivery: deliveryReply(await attemptDelivery(ctx, delivery!)) }
}
