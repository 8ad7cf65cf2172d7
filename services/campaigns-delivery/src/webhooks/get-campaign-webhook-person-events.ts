import type {
  GetCampaignWebhookPersonEventsRequest,
  GetCampaignWebhookPersonEventsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readWebhook } from './campaign-webhook.entity.ts'

/** Whether the campaign webhook gets events about people. */
export async function getCampaignWebhookPersonEvents(
  ctx: Ctx,
  _req: GetCampaignWebhookPersonEventsRequest,
): Promise<Reply<typeof GetCampaignWebhookPersonEventsResponseSchema>> {
  const { personEvents } = await ctx.tx((em) => readWebhook(em, ctx.workspaceId))
  return { enabled: personEvents }
}
