import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  ListCampaignWebhookDeliveriesRequest,
  ListCampaignWebhookDeliveriesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { CampaignWebhookDelivery, deliveryReply } from './campaign-webhook-delivery.entity.ts'
import { readWebhook, type WebhookSettings } from './campaign-webhook.entity.ts'

/** Lists the webhook deliveries of this workspace with their attempts, newest first, one page at a time. */
export async function listCampaignWebhookDeliveries(
  ctx: Ctx,
  req: ListCampaignWebhookDeliveriesRequest,
): Promise<Reply<typeof ListCampaignWebhookDeliveriesResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('campaign_webhook_deliveries', req.cursor)
  return ctx.tx(
    async (em) => {
      const newest = kyselyOf(em, CampaignWebhookDelivery)
        .selectFrom('campaign_webhook_deliveries')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .orderBy('id', 'desc')
        .limit(limit + 1)
      const found = await (after === null ? newest : newest.where('id', '<', after)).execute()
      const { page, nextCursor } = pageOf('campaign_webhook_deliveries', found, limit)
      return {
        deliveries: page.map(deliveryReply),
        nextCursor,
        webhookState: webhookState(await readWebhook(em, workspaceId)),
      }
    },
    { isSnapshot: true },
  )
}

const webhookState = ({ url, sealedSecret, disabledAt, disabledReason }: WebhookSettings) => ({
  isActive: url !== null && sealedSecret !== null && disabledAt === null,
  ...(disabledAt == null ? {} : { disabledAt: timestampFromDate(disabledAt) }),
  ...(disabledReason == null ? {} : { disabledReason }),
})
