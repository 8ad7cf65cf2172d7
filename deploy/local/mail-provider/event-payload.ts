import { createHmac } from 'node:crypto'
import type { MailgunWebhookType } from './account.ts'
import { headersOf, htmlOf, messageIdOf, subjectOf, variablesOf, type Delivery, type Happened } from './mailbox.ts'
import { randomText } from './random-text.ts'

export interface EventSignature {
  readonly timestamp: string
  readonly token: string
  readonly signature: string
}

/** Signs like the provider: hex HMAC-SHA256 of timestamp and token, not of the body. */
export function sign(
  signingKey: string,
  timestamp = String(Math.floor(Date.now() / 1000)),
  token = randomText(25, 'hex'),
): EventSignature {
  return {
    timestamp,
    token,
    signature: createHmac('sha256', signingKey)
      .update(timestamp + token)
      .digest('hex'),
  }
}

export const newEventId = () => randomText(16, 'base64url')

/** The name of the event: both failures are `failed` and differ in `severity`. */
export const eventName = (kind: MailgunWebhookType) =>
  kind === 'permanent_fail' || kind === 'temporary_fail' ? 'failed' : kind

/** The `event-data` of one event, in the form of the provider. */
export function eventData(delivery: Delivery, happened: Happened): Record<string, unknown> {
  const { batch, address } = delivery
  const variables = variablesOf(delivery)
  return {
    id: happened.id,
    event: eventName(happened.kind),
    timestamp: happened.at / 1000,
    'log-level': happened.kind === 'permanent_fail' ? 'error' : happened.kind === 'temporary_fail' ? 'warn' : 'info',
    recipient: address,
    'recipient-domain': address.slice(address.lastIndexOf('@') + 1),
    account: { id: '0123456789abcdef01234567' },
    domain: { name: batch.domain },
    envelope: { sender: batch.from, targets: address, transport: 'smtp' },
    flags: {
      'is-authenticated': true,
      'is-delayed-bounce': false,
      'is-routed': false,
      'is-system-test': false,
      'is-test-mode': batch.testMode,
    },
    message: {
      headers: { to: address, 'message-id': messageIdOf(delivery), from: batch.from, subject: subjectOf(delivery) },
      attachments: [],
      size: batch.html?.source.length ?? batch.text?.source.length ?? 0,
    },
    tags: batch.tags,
    campaigns: [],
    // The provider writes an empty object as an empty list.
    'user-variables': batch.variables.length === 0 ? [] : variables,
    ...particulars[happened.kind](delivery),
  }
}

const clientInfo = {
  ip: '192.0.2.55',
  geolocation: { country: 'DE', region: 'BE', city: 'Berlin' },
  'client-info': {
    'client-name': 'Firefox',
    'client-os': 'Linux',
    'client-type': 'browser',
    'device-type': 'desktop',
    'user-agent': 'Mozilla/5.0',
    bot: '',
  },
}

const particulars: Readonly<Record<MailgunWebhookType, (delivery: Delivery) => Record<string, unknown>>> = {
  accepted: () => ({ method: 'HTTP' }),
  delivered: () => ({
    'delivery-status': {
      'attempt-no': 1,
      code: 250,
      message: 'OK',
      description: '',
      'session-seconds': 0.21,
      tls: true,
      'mx-host': 'mx.recipient.test',
    },
  }),
  permanent_fail: () => ({
    severity: 'permanent',
    reason: 'bounce',
    'delivery-status': {
      'attempt-no': 1,
      code: 550,
      'enhanced-code': '5.1.1',
      'bounce-type': 'hard',
      message: '5.1.1 The email account that you tried to reach does not exist.',
      description: '',
      'session-seconds': 0.18,
      'mx-host': 'mx.recipient.test',
    },
  }),
  temporary_fail: () => ({
    severity: 'temporary',
    reason: 'generic',
    'delivery-status': {
      'attempt-no': 1,
      code: 452,
      'enhanced-code': '4.2.2',
      'bounce-type': 'soft',
      message: '4.2.2 The recipient’s mailbox is full.',
      description: '',
      'retry-seconds': 600,
      'session-seconds': 0.18,
      'mx-host': 'mx.recipient.test',
    },
  }),
  opened: () => clientInfo,
  clicked: (delivery) => ({ ...clientInfo, url: clickedUrl(delivery) }),
  unsubscribed: () => clientInfo,
  complained: () => ({}),
}

/** The first link of the message that is not the unsubscribe link. */
function clickedUrl(delivery: Delivery): string {
  const unsubscribe = headersOf(delivery)['List-Unsubscribe'] ?? ''
  const links = [...(htmlOf(delivery) ?? '').matchAll(/href="(https?:[^"]+)"/gi)].map(([, link]) =>
    (link ?? '').replaceAll('&amp;', '&'),
  )
  return links.find((link) => !unsubscribe.includes(link)) ?? `https://${delivery.batch.domain}/`
}
