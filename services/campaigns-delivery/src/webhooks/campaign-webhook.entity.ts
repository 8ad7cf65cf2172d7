import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'

export const CampaignWebhooks = defineEntity({
  name: 'CampaignWebhook',
  tableName: 'campaign_webhooks',
  properties: {
    workspaceId: p.uuid().primary(),
    url: p.text().nullable(),
    sealedSecret: p.text().nullable(),
    disabledAt: p.datetime().nullable(),
    disabledReason: p.text().nullable(),
    updatedBy: p.text(),
    updatedAt: p.datetime(),
  },
})

export interface WebhookRow {
  url: string | null
  sealed_secret: string | null
  disabled_at: string | null
  disabled_reason: string | null
}

const none: WebhookRow = { url: null, sealed_secret: null, disabled_at: null, disabled_reason: null }

/** Returns the webhook of this workspace; all fields are null when it was never set. */
export async function readWebhook(em: Em, workspaceId: string): Promise<WebhookRow> {
  const found = await row<WebhookRow>(
    em,
    sql`select url, sealed_secret, disabled_at, disabled_reason from campaign_webhooks where workspace_id = ${workspaceId}`,
  )
  return found ?? none
}

/** The webhook as the API shows it, without the secret. */
export const webhookReply = ({ url, sealed_secret }: WebhookRow) => ({
  ...(url === null ? {} : { url }),
  secretSet: sealed_secret !== null,
})
