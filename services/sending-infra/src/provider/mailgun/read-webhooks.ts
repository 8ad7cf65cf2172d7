import { webhookEvents, type RegisteredWebhooks } from '../provider-webhooks.ts'
import { isRecord } from './shapes.ts'

function urlsOf(entry: unknown): string[] {
  if (!isRecord(entry)) return []
  // old registrations have one `url` instead of a list
  const urls = Array.isArray(entry['urls']) ? entry['urls'] : [entry['url']]
  return urls.filter((url) => typeof url === 'string')
}

/** The URLs of each of the eight kinds of events. Undefined if the answer is not a webhook list. */
export function readWebhooks(answer: object): RegisteredWebhooks | undefined {
  const webhooks = isRecord(answer) ? answer['webhooks'] : undefined
  if (!isRecord(webhooks)) return undefined
  return Object.fromEntries(
    webhookEvents.map((event) => [event, urlsOf(webhooks[event])]),
  ) as unknown as RegisteredWebhooks
}
