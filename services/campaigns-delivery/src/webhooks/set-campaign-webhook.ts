import type {
  SetCampaignWebhookRequest,
  SetCampaignWebhookResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { endAlert, publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import { parseWebhookSecret } from '@lettergate/webhooks/webhook-secret'
import { parseWebhookUrl } from '@lettergate/webhooks/webhook-url'
import type { Ctx } from '../ctx.ts'
import { dropPending } from './campaign-webhook-delivery.entity.ts'
import { CampaignWebhook, readWebhook, webhookReply } from './campaign-webhook.entity.ts'
import { sealSecret } from './webhook-secret.ts'

/**
 * Sets the given fields; null clears a field, an absent field is kept. Also enables a disabled webhook. Pending deliveries
 * use the new URL and secret, and fail when either was cleared. The audit log names only the host.
 */
export async function setCampaignWebhook(
  ctx: Ctx,
  req: SetCampaignWebhookRequest,
): Promise<Reply<typeof SetCampaignWebhookResponseSchema>> {
  const { workspaceId, config } = ctx
  const isGiven = (field: string, value: string | undefined) =>
    req.updateMask ? req.updateMask.paths.includes(field) : value !== undefined
  const url = req.campaignWebhookUrl ?? null
  const host =
    url === null ? null : parseWebhookUrl(url, config.campaignWebhookAllowPrivate, 'campaign_webhook_url').host
  const secret =
    req.campaignWebhookSecret === undefined
      ? null
      : parseWebhookSecret(req.campaignWebhookSecret, 'campaign_webhook_secret')
  const sealed = secret === null ? null : sealSecret(config.campaignWebhookKeys, workspaceId, secret)
  const urlGiven = isGiven('campaign_webhook_url', req.campaignWebhookUrl)
  const secretGiven = isGiven('campaign_webhook_secret', req.campaignWebhookSecret)

  return ctx.tx(async (em) => {
    if (!urlGiven && !secretGiven) return { campaignWebhook: webhookReply(await readWebhook(em, workspaceId)) }
    const wasDisabled = (await readWebhook(em, workspaceId)).disabledAt !== null
    await em.upsert(CampaignWebhook, {
      workspaceId,
      ...(urlGiven ? { url } : {}),
      ...(secretGiven ? { sealedSecret: sealed } : {}),
      disabledAt: null,
      disabledReason: null,
      updatedBy: ctx.caller.actor,
      updatedAt: ctx.now(),
    })
    const now = await readWebhook(em, workspaceId)
    if (wasDisabled) await endAlert(em, 'campaign_webhook_disabled', workspaceId)
    if (now.url === null || now.sealedSecret === null) await dropPending(em, workspaceId, 'webhook_removed')
    await publish(em, AuditRecordedSchema, {
      action: 'campaign_webhook_set',
      subjectType: 'campaign_webhook',
      subjectId: workspaceId,
      actor: ctx.caller.actor,
      detail: { ...(urlGiven ? { host } : {}), ...(secretGiven ? { secret_set: secret !== null } : {}) },
    })
    return { campaignWebhook: webhookReply(now) }
  })
}
