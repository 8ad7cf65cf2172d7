import { callHttp } from '@lettergate/http'
import { jsonOf, problemOf } from '@lettergate/mail-provider/answer'
import { authorization } from '@lettergate/mail-provider/authorization'
import { providerConnections } from '@lettergate/mail-provider/connections'
import { carrier } from '@lettergate/service/tracing'
import { classify, type HandOffResult } from './classify.ts'
import { formBody, type MessageRecipient, type PreparedForm } from './message-form.ts'

/** The address and credential for the calls of a connection. */
export interface MessagesAccess {
  baseUrl: string
  apiKey: string
  domain: string
}

export interface HandOffTimes {
  /** time until the first byte must be sent */
  startWithinMs: number
  /** for the whole call */
  timeoutMs: number
  /** asked just before the first byte is written; if false, the call is not made */
  mayStart: () => boolean
  /** called just before the first byte is written */
  onStarted: () => void
}

/**
 * Hands messages to the provider in one call, without retries. Never throws for network errors; the result says what is
 * proven.
 */
export async function handOffMessages(
  access: MessagesAccess,
  form: PreparedForm,
  recipients: readonly MessageRecipient[],
  times: HandOffTimes,
): Promise<HandOffResult> {
  const result = await callHttp({
    method: 'POST',
    url: `${access.baseUrl}/v3/${encodeURIComponent(access.domain)}/messages`,
    headers: {
      authorization: authorization(access.apiKey),
      'content-type': `multipart/form-data; boundary=${form.boundary}`,
    },
    body: formBody(form, recipients, carrier()['traceparent']),
    connectTimeoutMs: times.startWithinMs,
    timeoutMs: times.timeoutMs,
    mayStart: times.mayStart,
    onStarted: times.onStarted,
    bodyBytesMax: 65_536,
  })
  return classify(result, new Date())
}

/** Lookups are retried, so this client waits after a refused credential. The cooldowns of hand-offs are in the database. */
const lookups = providerConnections({ refusalCooldownMs: 60_000 })

/** A message that the provider has, and since when. */
export interface FoundMessage {
  messageId: string
  acceptedAt: Date
}

/**
 * Searches the provider's logs for these messages by their Message-Id. Undefined when the provider is unavailable. A missing
 * message proves nothing, because logs are delayed.
 */
export async function findMessages(
  access: MessagesAccess & { connectionId: string },
  messageIds: readonly string[],
  since: Date,
): Promise<FoundMessage[] | undefined> {
  const wanted = new Map(messageIds.map((id) => [`${id}@${access.domain}`, id]))
  const equals = (attribute: string, values: Iterable<string>) => ({
    attribute,
    comparator: '=',
    values: Array.from(values, (value) => ({ label: value, value })),
  })
  const result = await lookups.call(access.connectionId, {
    method: 'POST',
    url: `${access.baseUrl}/v1/analytics/logs`,
    headers: { authorization: authorization(access.apiKey), 'content-type': 'application/json' },
    body: JSON.stringify({
      start: new Date(since.getTime() - 60_000).toUTCString(),
      end: new Date(Date.now() + 60_000).toUTCString(),
      events: ['accepted'],
      filter: { AND: [equals('domain', [access.domain]), equals('message-id', wanted.keys())] },
      pagination: { limit: 1_000 },
    }),
    timeoutMs: 10_000,
    bodyBytesMax: 8_388_608,
  })
  return result.kind === 'not_called' || problemOf(result) !== undefined ? undefined : readItems(jsonOf(result), wanted)
}

interface LogItem {
  '@timestamp'?: unknown
  message?: { headers?: { 'message-id'?: unknown } }
}

function readItems(answer: object | undefined, wanted: ReadonlyMap<string, string>): FoundMessage[] | undefined {
  const items = (answer as { items?: unknown } | undefined)?.items
  if (!Array.isArray(items)) return undefined
  return (items as LogItem[]).flatMap((item) => {
    const header = item.message?.headers?.['message-id']
    const messageId = typeof header === 'string' ? wanted.get(header.replace(/^<|>$/g, '')) : undefined
    const acceptedAt = new Date(typeof item['@timestamp'] === 'string' ? item['@timestamp'] : Date.now())
    return messageId === undefined || Number.isNaN(acceptedAt.getTime()) ? [] : [{ messageId, acceptedAt }]
  })
}
