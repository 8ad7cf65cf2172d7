import type {
  TestCampaignWebhookRequest,
  TestCampaignWebhookResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { CampaignWebhookDelivery, deliveryReply } from './campaign-webhook-delivery.entity.ts'
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
    const { url, sealedSecret } = await readWebhook(em, workspaceId)
    if (url === null || sealedSecret === null)
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
    return kyselyOf(em, CampaignWebhookDelivery)
      .insertInto('campaign_webhook_deliveries')
      .values({
        workspace_id: workspaceId,
        id: newId(),
        type: 'campaign_webhook.test',
        attempt_count: 1,
        leased_until: sql`now() + ${leaseSeconds} * interval '1 second'`,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { delivery: deliveryReply(await attemptDelivery(ctx, delivery)) }
}
