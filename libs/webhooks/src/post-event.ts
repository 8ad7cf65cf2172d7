import { Webhook } from 'standardwebhooks'
import { callHttp } from '@lettergate/http/call'
import { Fault } from '@lettergate/fault'
import { isForbidden, lookupFor } from './public-lookup.ts'
import { retryAfterMsOf, type PostResult } from './retry.ts'
import { parseWebhookUrl } from './webhook-url.ts'

const connectTimeoutMs = 5_000
/** Only the status of a response is used. */
const bodyBytesMax = 16_384

export interface SignedEvent {
  /** the webhook-id, by which a receiver recognises a repeat */
  id: string
  url: string
  secret: string
  body: string
  at: Date
}

/**
 * Posts one event by Standard Webhooks, once, to public addresses only. Follows no redirects and never throws for network
 * errors.
 */
export async function postEvent(
  event: SignedEvent,
  { allowPrivate, timeoutMs }: { allowPrivate: boolean; timeoutMs: number },
): Promise<PostResult> {
  const { id, url, secret, body, at } = event
  try {
    // Checked again, because an IP address in the URL is not looked up and the rules may have changed since it was set.
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
      'user-agent': 'Lettergate/1 (webhook)',
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
