/** The eight kinds of events, as the provider names its webhooks. */
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

/** The URLs that the provider posts each kind of event to. */
export type RegisteredWebhooks = Readonly<Record<WebhookEvent, readonly string[]>>

/** Nothing registered at all, as for a domain that the provider does not know. */
export const noWebhooks = Object.fromEntries(webhookEvents.map((event) => [event, []])) as unknown as RegisteredWebhooks

/** The provider takes so many URLs for one kind of event. */
const urlsMax = 3

export interface WebhookPlan {
  /** the whole list of URLs to set: what was there, then ours */
  readonly set: readonly { event: WebhookEvent; urls: readonly string[]; isFirst: boolean }[]
  /** full with others' URLs, and left unchanged */
  readonly refused: readonly WebhookEvent[]
}

/** What has to be registered so that every kind of event also comes to our URL. Never takes a URL away. */
export function planWebhooks(registered: RegisteredWebhooks, url: string): WebhookPlan {
  const lacking = webhookEvents.filter((event) => !registered[event].includes(url))
  return {
    set: lacking
      .filter((event) => registered[event].length < urlsMax)
      .map((event) => ({ event, urls: [...registered[event], url], isFirst: registered[event].length === 0 })),
    refused: lacking.filter((event) => registered[event].length >= urlsMax),
  }
}

/** The kinds of events that do not come to our URL. */
export const lackingWebhooks = (registered: RegisteredWebhooks, url: string): WebhookEvent[] =>
  webhookEvents.filter((event) => !registered[event].includes(url))

/** Where the provider posts the events of one connection. */
export const webhookUrlOf = (baseUrl: string, connectionId: string): string =>
  `${baseUrl}/webhooks/mailprovider/${connectionId}`
