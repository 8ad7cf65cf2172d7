import { fromBinary, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import type { JsMsg } from '@nats-io/jetstream'
import { fromBatch, isBatch, type Arrived } from './event-batch.ts'
import { handledBy } from './inbox.ts'
import { fromHeaders, type EventMeta } from './message.ts'

/** An event as a handler sees it. */
export interface Received<S extends DescMessage> {
  readonly id: string
  /** the service that announced it; the broker lets no other use its subjects */
  readonly source: string
  readonly workspaceId: string | null
  readonly time: Date
  /** of the request or job that announced it */
  readonly correlationId: string
  readonly data: MessageShape<S>
}

/** One event of a message, until it is settled. */
export interface Delivery<S extends DescMessage> {
  readonly subject: string
  readonly meta: EventMeta
  readonly event: Received<S>
  readonly payload: Uint8Array
  /** how often its message has come, this time included */
  readonly attempt: number
  /** It had its effect, or is a dead letter. */
  settle(): void
  /** It must come again, after this time at the earliest. */
  giveBack(afterMs: number): void
  /** Tells the server that its message is being worked on still. */
  keep(this: void): void
}

/** The event as its handler is given it, with the name of the consumer on it. Throws for a payload that is not of its kind. */
export function receivedOf<S extends DescMessage>(
  { event, consumer }: { event: S; consumer: string },
  { id, source, workspaceId, time, correlationId }: EventMeta,
  payload: Uint8Array,
): Received<S> {
  return handledBy({ id, source, workspaceId, time, correlationId, data: fromBinary(event, payload) }, consumer)
}

/**
 * The events in a message, each to be settled. The message is acknowledged with the last of them; when one must come again
 * all of them do, and the inbox drops those that had their effect. What cannot be read is told to `dropped` and is settled.
 */
export function read<S extends DescMessage>(
  message: JsMsg,
  { event, consumer, dropped }: { event: S; consumer: string; dropped: (error: unknown) => void },
): Delivery<S>[] {
  const arrived = arrivedIn(message, dropped)
  let open = arrived.length
  let againAfterMs: number | undefined
  const settle = () => {
    open -= 1
    if (open > 0) return
    if (againAfterMs === undefined) message.ack()
    else message.nak(againAfterMs)
  }
  const giveBack = (afterMs: number) => {
    againAfterMs = Math.max(againAfterMs ?? 0, afterMs)
    settle()
  }
  const keep = () => message.working()
  const { subject } = message
  const { deliveryCount: attempt } = message.info
  return arrived.flatMap(({ meta, payload }) => {
    try {
      const received = receivedOf({ event, consumer }, meta, payload)
      return { subject, meta, event: received, payload, attempt, settle, giveBack, keep }
    } catch (error) {
      dropped(error)
      settle()
      return []
    }
  })
}

function arrivedIn(message: JsMsg, dropped: (error: unknown) => void): Arrived[] {
  try {
    if (isBatch(message.headers)) return fromBatch(message.data, message.subject)
    return [{ meta: fromHeaders(message.headers, message.subject), payload: message.data }]
  } catch (error) {
    dropped(error)
    message.term('unreadable')
    return []
  }
}
