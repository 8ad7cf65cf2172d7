import type {
  SetCampaignWebhookPersonEventsRequest,
  SetCampaignWebhookPersonEventsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { CampaignWebhook } from './campaign-webhook.entity.ts'

/**
 * Chooses whether the campaign webhook gets events about people, from now on. It may be chosen before a URL is set. Deliveries
 * that wait already are still posted.
 */
export async function setCampaignWebhookPersonEvents(
  ctx: Ctx,
  { enabled }: SetCampaignWebhookPersonEventsRequest,
): Promise<Reply<typeof SetCampaignWebhookPersonEventsResponseSchema>> {
  const { workspaceId, caller } = ctx
  await ctx.tx(async (em) => {
    await em.upsert(CampaignWebhook, {
      workspaceId,
      personEvents: enabled,
      updatedBy: caller.actor,
      updatedAt: ctx.now(),
    })
    await publish(em, AuditRecordedSchema, {
      action: 'campaign_webhook_person_events_set',
      subjectType: 'campaign_webhook',
      subjectId: workspaceId,
      actor: caller.actor,
      detail: { enabled },
    })
  })
  return { enabled }
}
