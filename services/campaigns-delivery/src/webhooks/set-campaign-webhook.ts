import type {
  SetCampaignWebhookRequest,
  SetCampaignWebhookResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaign_webhooks'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { dropPending } from './campaign-webhook-delivery.entity.ts'
import { readWebhook, webhookReply } from './campaign-webhook.entity.ts'
import { parseWebhookSecret, seal } from './webhook-secret.ts'
import { parseWebhookUrl } from './webhook-url.ts'

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
  const host = url === null ? null : parseWebhookUrl(url, config.campaignWebhookAllowPrivate).host
  const secret = req.campaignWebhookSecret === undefined ? null : parseWebhookSecret(req.campaignWebhookSecret)
  const sealed = secret === null ? null : seal(config.campaignWebhookKeys, workspaceId, secret)
  const urlGiven = isGiven('campaign_webhook_url', req.campaignWebhookUrl)
  const secretGiven = isGiven('campaign_webhook_secret', req.campaignWebhookSecret)

  return ctx.tx(async (em) => {
    if (!urlGiven && !secretGiven) return { campaignWebhook: webhookReply(await readWebhook(em, workspaceId)) }
    await execute(
      em,
      sql`insert into campaign_webhooks as known (workspace_id, url, sealed_secret, updated_by)
          values (${workspaceId}, ${url}, ${sealed}, ${ctx.caller.actor})
          on conflict (workspace_id) do update
            set url = case when ${urlGiven}::boolean then excluded.url else known.url end,
                sealed_secret = case when ${secretGiven}::boolean then excluded.sealed_secret else known.sealed_secret end,
                disabled_at = null, disabled_reason = null, updated_by = excluded.updated_by, updated_at = now()`,
    )
    const now = await readWebhook(em, workspaceId)
    if (now.url === null || now.sealed_secret === null) await dropPending(em, workspaceId, 'webhook_removed')
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
