import { callHttp } from '@lettergate/http'
import { jsonOf, problemOf } from '@lettergate/mail-provider/answer'
import { authorization } from '@lettergate/mail-provider/authorization'
import { providerLines } from '@lettergate/mail-provider/lines'
import { carrier } from '@lettergate/service/tracing'
import { classify, type HandOffResult } from './classify.ts'
import { formBody, type MessageRecipient, type PreparedForm } from './message-form.ts'

/** Where a connection's calls go and with what key. */
export interface ProviderAccess {
  baseUrl: string
  apiKey: string
  domain: string
}

export interface HandOffTimes {
  /** from now until the first byte must be on its way */
  startWithinMs: number
  /** for the whole call */
  timeoutMs: number
}

/** Hands messages to the provider in one call, once. Never throws for what the network does; the result says what is proven. */
export async function handOffMessages(
  access: ProviderAccess,
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
    bodyBytesMax: 65_536,
  })
  return classify(result, new Date())
}

/** Look-ups ask again by themselves, so that a refused credential is left alone for a while. Hand-offs have their rests in rows. */
const lookups = providerLines({ refusalRestMs: 60_000 })

/** A message that the provider turns out to have, and since when. */
export interface FoundMessage {
  messageId: string
  acceptedAt: Date
}

/**
 * Asks the provider's logs which of these messages it has, by the Message-Id that each was given. Answers undefined when
 * the provider cannot say. That a message is not found proves nothing: logs come late.
 */
export async function findMessages(
  access: ProviderAccess & { connectionId: string },
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
  return result.kind === 'resting' || problemOf(result) !== undefined ? undefined : readItems(jsonOf(result), wanted)
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
