import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Em } from '@lettergate/database'

export const CampaignWebhook = defineEntity({
  name: 'CampaignWebhook',
  tableName: 'campaign_webhooks',
  properties: {
    workspaceId: p.uuid().primary(),
    url: p.text().nullable(),
    sealedSecret: p.text().nullable(),
    disabledAt: p.datetime().nullable(),
    disabledReason: p.text().nullable(),
    personEvents: p.boolean().default(false),
    updatedBy: p.text(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
})

export type CampaignWebhook = InferEntity<typeof CampaignWebhook>

export type WebhookSettings = Pick<
  CampaignWebhook,
  'url' | 'sealedSecret' | 'disabledAt' | 'disabledReason' | 'personEvents'
>

const none: WebhookSettings = {
  url: null,
  sealedSecret: null,
  disabledAt: null,
  disabledReason: null,
  personEvents: false,
}

/** Returns the webhook of this workspace; its fields are null when it was never set. */
export const readWebhook = async (em: Em, workspaceId: string): Promise<WebhookSettings> =>
  (await em.findOne(CampaignWebhook, { workspaceId }, { refresh: true })) ?? none

/** The webhook as the API shows it, without the secret. */
export const webhookReply = ({ url, sealedSecret }: WebhookSettings) => ({
  ...(url === null ? {} : { url }),
  secretSet: sealedSecret !== null,
})
