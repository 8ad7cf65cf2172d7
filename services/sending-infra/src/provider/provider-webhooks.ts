/** The eight kinds of events, with the provider's webhook names. */
export const webhookEvents = [
  'accepted',
  'clicked',
  'complained',
  'delivered',
  'opened',
  'permanent_fail',
  'temporary_fail',
  'unsubscribed',
] as const

export type WebhookEvent = (typeof webhookEvents)[number]

/** The registered webhook URLs of each kind of event. */
export type RegisteredWebhooks = Readonly<Record<WebhookEvent, readonly string[]>>

/** No registered webhooks, as for a domain that the provider does not know. */
export const noWebhooks = Object.fromEntries(webhookEvents.map((event) => [event, []])) as unknown as RegisteredWebhooks

/** The provider's maximum number of URLs for one kind of event. */
const urlsMax = 3

export interface WebhookPlan {
  /** the complete list of URLs to set: the existing ones, then ours */
  readonly set: readonly { event: WebhookEvent; urls: readonly string[]; isFirst: boolean }[]
  /** kinds that already have the maximum number of other URLs; they stay unchanged */
  readonly refused: readonly WebhookEvent[]
}

/** The changes that register our URL for every kind of event. It never removes a URL. */
export function planWebhooks(registered: RegisteredWebhooks, url: string): WebhookPlan {
  const lacking = webhookEvents.filter((event) => !registered[event].includes(url))
  return {
    set: lacking
      .filter((event) => registered[event].length < urlsMax)
      .map((event) => ({ event, urls: [...registered[event], url], isFirst: registered[event].length === 0 })),
    refused: lacking.filter((event) => registered[event].length >= urlsMax),
  }
}

/** The kinds of events without our URL. */
export const lackingWebhooks = (registered: RegisteredWebhooks, url: string): WebhookEvent[] =>
  webhookEvents.filter((event) => !registered[event].includes(url))

/** The webhook URL of one connection. */
export const webhookUrlOf = (baseUrl: string, connectionId: string): string =>
  `${baseUrl}/webhooks/mailprovider/${connectionId}`
