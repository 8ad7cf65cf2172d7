import type {
  GetCampaignWebhookRequest,
  GetCampaignWebhookResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readWebhook, webhookReply } from './campaign-webhook.entity.ts'

/** Returns the webhook of this workspace: its URL and whether a secret is set, never the secret. */
export async function getCampaignWebhook(
  ctx: Ctx,
  _req: GetCampaignWebhookRequest,
): Promise<Reply<typeof GetCampaignWebhookResponseSchema>> {
  return { campaignWebhook: webhookReply(await ctx.tx((em) => readWebhook(em, ctx.workspaceId))) }
}
