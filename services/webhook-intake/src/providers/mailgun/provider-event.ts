import { Fault } from '@lettergate/fault'
import { parseUuid } from '@lettergate/values/uuid'

export const eventKinds = [
  'accepted',
  'delivered',
  'failed',
  'opened',
  'clicked',
  'unsubscribed',
  'complained',
] as const
export type ProviderEventKind = (typeof eventKinds)[number]

/** The stored part of an event: ids and facts, no address. */
export interface EventFacts {
  providerEventId: string
  event: ProviderEventKind
  severity: 'permanent' | 'temporary' | null
  reason: string | null
  messageId: string | null
  providerMessageId: string | null
  occurredAt: Date
}

const secondsMax = 253_402_300_799

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** The trace of the message's hand-off, which the event returns; undefined when it has no well-formed one. */
export function traceOf(eventData: Record<string, unknown>): { traceparent: string } | undefined {
  const traceparent = property(eventData['user-variables'], 'traceparent')
  return typeof traceparent === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)
    ? { traceparent }
    : undefined
}

const uuidOf = (value: unknown): string | undefined => (typeof value === 'string' ? parseUuid(value) : undefined)

/** The test send of an event, from the variables of its message; undefined for other messages. */
export function testSendOf(eventData: Record<string, unknown>): string | undefined {
  return uuidOf(property(eventData['user-variables'], 'test_send_id'))
}

/** A text that PostgreSQL can store; null when there is none. */
function textOf(value: unknown, charactersMax: number): string | null {
  if (typeof value !== 'string') return null
  const kept = value.toWellFormed().replaceAll('\0', '').trim()
  return kept === '' ? null : kept.slice(0, charactersMax).toWellFormed()
}

const address = /[^\s"'<>()/,;:=\\]+@[^\s"'<>()/,;:=\\]+/g

/** The provider's reason without addresses, for storage and publishing. */
const reasonOf = (value: unknown): string | null => textOf(textOf(value, 400)?.replace(address, '[address]'), 200)

/** The provider's message id, unless it contains the address of the recipient. */
function providerMessageIdOf(eventData: Record<string, unknown>): string | null {
  const id = textOf(property(property(eventData['message'], 'headers'), 'message-id'), 500)
  const recipient = eventData['recipient']
  const namesRecipient =
    typeof recipient === 'string' && recipient !== '' && id?.toLowerCase().includes(recipient.toLowerCase())
  return namesRecipient ? null : id
}

/**
 * Reads the facts of an event. Its id, kind and time must be valid, otherwise it throws a Fault with the name of the field. Other
 * invalid fields count as absent, so that no event is lost because of them.
 */
export function parseProviderEvent(eventData: Record<string, unknown>): EventFacts {
  const { id, event, timestamp, severity, reason } = eventData
  if (typeof id !== 'string' || id === '' || id.length > 200 || !id.isWellFormed() || id.includes('\0')) {
    throw new Fault(
      'invalid_argument',
      'event-data.id',
      'event-data.id must be a text of 1 to 200 characters. Send the id that the provider gave the event.',
    )
  }
  const kind = eventKinds.find((known) => known === event)
  if (kind === undefined) {
    throw new Fault('invalid_argument', 'event-data.event', `event-data.event must be one of ${eventKinds.join(', ')}.`)
  }
  if (typeof timestamp !== 'number' || !(timestamp > 0) || timestamp > secondsMax) {
    throw new Fault(
      'invalid_argument',
      'event-data.timestamp',
      'event-data.timestamp must be a number of seconds since 1970.',
    )
  }
  const messageId = property(eventData['user-variables'], 'message_id')
  return {
    providerEventId: id,
    event: kind,
    severity: kind === 'failed' && (severity === 'permanent' || severity === 'temporary') ? severity : null,
    reason: reasonOf(reason),
    messageId: uuidOf(messageId) ?? null,
    providerMessageId: providerMessageIdOf(eventData),
    occurredAt: new Date(Math.round(timestamp * 1000)),
  }
}
