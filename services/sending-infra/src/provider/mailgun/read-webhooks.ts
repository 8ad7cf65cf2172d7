import { webhookEvents, type RegisteredWebhooks } from '../../domain/provider-webhooks.ts'
import { isRecord } from './shapes.ts'

function urlsOf(entry: unknown): string[] {
  if (!isRecord(entry)) return []
  // registrations of long ago carry one `url` instead of the list
  const urls = Array.isArray(entry['urls']) ? entry['urls'] : [entry['url']]
  return urls.filter((url) => typeof url === 'string')
}

/** The URLs of each of the eight kinds of events; kinds that the provider leaves out have none. Undefined when the answer is another. */
export function readWebhooks(answer: object): RegisteredWebhooks | undefined {
  const webhooks = isRecord(answer) ? answer['webhooks'] : undefined
  if (!isRecord(webhooks)) return undefined
  return Object.fromEntries(
    webhookEvents.map((event) => [event, urlsOf(webhooks[event])]),
  ) as unknown as RegisteredWebhooks
}
