import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  ListCampaignWebhookDeliveriesRequest,
  ListCampaignWebhookDeliveriesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { deliveryReply, type DeliveryRow } from './campaign-webhook-delivery.entity.ts'
import { readWebhook, type WebhookRow } from './campaign-webhook.entity.ts'

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
      const found = await rows<DeliveryRow>(
        em,
        sql`select * from campaign_webhook_deliveries where workspace_id = ${workspaceId} and (${after}::uuid is null or id < ${after}::uuid)
             order by id desc limit ${limit + 1}`,
      )
      const { page, nextCursor } = pageOf('campaign_webhook_deliveries', found, limit)
      return {
        deliveries: page.map(deliveryReply),
        nextCursor,
        standing: webhookState(await readWebhook(em, workspaceId)),
      }
    },
    { isSnapshot: true },
  )
}

const webhookState = ({ url, sealed_secret, disabled_at, disabled_reason }: WebhookRow) => ({
  isActive: url !== null && sealed_secret !== null && disabled_at === null,
  ...(disabled_at === null ? {} : { disabledAt: timestampFromDate(new Date(disabled_at)) }),
  ...(disabled_reason === null ? {} : { disabledReason: disabled_reason }),
})
