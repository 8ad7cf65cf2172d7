import { Webhook } from 'standardwebhooks'
import { callHttp } from '@lettergate/http/call'
import { Fault } from '@lettergate/fault'
import { isForbidden, lookupFor } from './public-lookup.ts'
import { retryAfterMsOf, type PostResult } from './retry.ts'
import { parseWebhookUrl } from './webhook-url.ts'

const connectTimeoutMs = 5_000
/** Of an answer only the status matters. */
const bodyBytesMax = 16_384

export interface SignedEvent {
  /** the webhook-id, by which a receiver knows a repeat */
  id: string
  url: string
  secret: string
  body: string
  at: Date
}

/** Posts one event by Standard Webhooks, once, to a public address and nowhere else; follows no redirect and never throws for the network. */
export async function postEvent(
  event: SignedEvent,
  { allowPrivate, timeoutMs }: { allowPrivate: boolean; timeoutMs: number },
): Promise<PostResult> {
  const { id, url, secret, body, at } = event
  try {
    // An address in the URL is never looked up, and what was permitted when it was set may not be now.
    parseWebhookUrl(url, allowPrivate)
  } catch (error) {
    if (error instanceof Fault) return { kind: 'unanswered', error: 'url_refused' }
    throw error
  }
  const result = await callHttp({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Lettergate/1 (campaign webhook)',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
    body,
    connectTimeoutMs,
    timeoutMs,
    bodyBytesMax,
    lookup: lookupFor(allowPrivate),
  })
  if (result.kind === 'answered')
    return { kind: 'answered', status: result.status, retryAfterMs: retryAfterMsOf(result.headers['retry-after'], at) }
  if (result.kind === 'ambiguous') return { kind: 'unanswered', error: 'no_answer' }
  return { kind: 'unanswered', error: isForbidden(result.error) ? 'address_forbidden' : 'not_connected' }
}
