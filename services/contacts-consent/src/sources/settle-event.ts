import { Fault } from '@lettergate/fault'
import type { Receipt } from './source-receipt.entity.ts'
import type { SourceRow } from './subscription-source.entity.ts'
import type { SourceEvent } from './source-event.ts'

/** An admitted event with its position in the batch. */
export interface AdmittedEvent {
  n: number
  source: SourceRow
  event: SourceEvent
  correlationId: string
}

/** The answer to the caller: the receipt, and whether it existed before. */
export interface Settled {
  receipt: Receipt
  isDuplicate: boolean
}

export type AudienceStates = ReadonlyMap<string, { is_archived: boolean }>

export const keyOf = (one: Pick<Receipt, 'source_id' | 'idempotency_key'>) => `${one.source_id} ${one.idempotency_key}`
export const eventKeyOf = (one: Pick<Receipt, 'source_id' | 'source_event_id'>) =>
  `${one.source_id} ${one.source_event_id}`

/** Receipts by idempotency key and by event id. */
export function receiptIndex(receipts: readonly Receipt[]) {
  const byKey = new Map(receipts.map((receipt) => [keyOf(receipt), receipt]))
  const byEvent = new Map(receipts.map((receipt) => [eventKeyOf(receipt), receipt]))
  return ({ source, event }: AdmittedEvent): Receipt | undefined =>
    byKey.get(keyOf({ source_id: source.id, idempotency_key: event.idempotencyKey })) ??
    byEvent.get(eventKeyOf({ source_id: source.id, source_event_id: event.sourceEventId }))
}

const usedBefore = ({ event }: AdmittedEvent, earlier: Receipt) =>
  earlier.idempotency_key === event.idempotencyKey
    ? new Fault(
        'conflict',
        'idempotency_key',
        'This Idempotency-Key was already used for another payload. Repeat the first request unchanged, or use a new key.',
      )
    : new Fault(
        'conflict',
        'source_event_id',
        'This source_event_id was already handed in with another payload. Give each sign-up an id of its own.',
      )

/**
 * The answer to an event before anything is written: the receipt of an exact replay, a refusal, or null for a new event. A replay
 * is answered independently of the current permissions. Otherwise 403 takes precedence over 409, and 409 over 422.
 */
export function settleEvent(
  admitted: AdmittedEvent,
  earlier: Receipt | undefined,
  audiences: AudienceStates,
): Settled | Fault | null {
  const { source, event } = admitted
  if (earlier && earlier.payload_sha256 === event.payloadSha256) return { receipt: earlier, isDuplicate: true }
  const audience = audiences.get(event.audienceId)
  const isAllowed = source.allows_all_audiences
    ? audience !== undefined
    : source.allowed_audience_ids.includes(event.audienceId)
  if (!isAllowed || !audience) {
    return new Fault(
      'permission_denied',
      'destination_audience_id',
      'This subscription source may not fill that audience. List its audiences to see which it may.',
    )
  }
  if (!source.allowed_origins.includes(event.claim.page_origin)) {
    return new Fault(
      'permission_denied',
      'source.page_origin',
      'This subscription source takes no sign-ups from that page origin. An operator can add it to the allowed origins.',
    )
  }
  if (earlier) return usedBefore(admitted, earlier)
  if (audience.is_archived) {
    return new Fault(
      'failed_precondition',
      'destination_audience_id',
      'destination_audience_id names an archived audience, which takes no new subscribers.',
    )
  }
  return null
}

/** The events that can be written together, without a duplicate address, key or event id. The others are for the next round. */
export function firstOfEach(events: readonly AdmittedEvent[]): AdmittedEvent[] {
  const seen = new Set<string>()
  return events.filter(({ source, event }) => {
    const marks = [
      `address ${event.normalizedEmail}`,
      `key ${keyOf({ source_id: source.id, idempotency_key: event.idempotencyKey })}`,
      `event ${eventKeyOf({ source_id: source.id, source_event_id: event.sourceEventId })}`,
    ]
    const isFirst = marks.every((mark) => !seen.has(mark))
    for (const mark of marks) seen.add(mark)
    return isFirst
  })
}
