import { fromBinary, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import type { JsMsg } from '@nats-io/jetstream'
import { fromBatch, isBatch, type RawEvent } from './event-batch.ts'
import { handledBy } from './inbox.ts'
import type { Caller } from '@lettergate/service'
import { metaReader, type EventMeta } from './message.ts'

/** An event that a consumer's handler receives. */
export interface Received<S extends DescMessage> extends Readonly<EventMeta> {
  readonly data: MessageShape<S>
  readonly [handledBy]?: string
}

/** One received event that is not settled yet. */
export interface EventDelivery<S extends DescMessage> {
  readonly event: Received<S>
  readonly payload: Uint8Array
  readonly message: MessageDelivery
}

/** A received message, which all its events share. */
export interface MessageDelivery {
  readonly subject: string
  /** how often it was delivered, including this time */
  readonly attempt: number
  /** An event is done: it was handled or is stored as a dead letter. */
  settle(): void
  /** An event must be delivered again, after this time at the earliest. */
  retry(afterMs: number): void
  /** Tells the server that the message is still in progress. */
  markInProgress(this: void): void
}

/** The event for its handler, marked with the name of the consumer. Throws if the payload cannot be parsed. */
export const receivedOf = <S extends DescMessage>(
  { event, consumer }: { event: S; consumer: string },
  { id, source, workspaceId, time, correlationId, actor, actorKind, authMethod, trace }: EventMeta,
  payload: Uint8Array,
): Received<S> => ({
  id,
  source,
  workspaceId,
  time,
  correlationId,
  actor,
  actorKind,
  authMethod,
  trace,
  data: fromBinary(event, payload),
  [handledBy]: consumer,
})

/**
 * The events of a message. Each must be settled; the last one acknowledges the message. If one event needs a retry, the whole
 * message is delivered again, and the inbox skips the events that were handled. An unreadable event is passed to `dropped`.
 */
export function read<S extends DescMessage>(
  message: JsMsg,
  { event, consumer, dropped }: { event: S; consumer: string; dropped: (error: unknown) => void },
): EventDelivery<S>[] {
  const readers = readersOf(message, dropped)
  let open = readers.length
  let retryAfterMs: number | undefined
  const settle = () => {
    open -= 1
    if (open > 0) return
    if (retryAfterMs === undefined) message.ack()
    else message.nak(retryAfterMs)
  }
  const retry = (afterMs: number) => {
    retryAfterMs = Math.max(retryAfterMs ?? 0, afterMs)
    settle()
  }
  const delivery: MessageDelivery = {
    subject: message.subject,
    attempt: message.info.deliveryCount,
    settle,
    retry,
    markInProgress: () => message.working(),
  }
  return readers.flatMap((readEvent) => {
    try {
      const { meta, payload } = readEvent()
      return { event: receivedOf({ event, consumer }, meta, payload), payload, message: delivery }
    } catch (error) {
      dropped(error)
      settle()
      return []
    }
  })
}

function readersOf(message: JsMsg, dropped: (error: unknown) => void): (() => RawEvent)[] {
  try {
    if (isBatch(message.headers)) return fromBatch(message, message.subject)
    const metaOf = metaReader(message.headers, message.subject)()
    return [() => ({ meta: metaOf(), payload: message.data })]
  } catch (error) {
    dropped(error)
    // Without a reason, which nats-server before 2.10.4 does not understand: it would deliver the message again.
    message.term()
    return []
  }
}

/** The caller of the request or job that published an event. */
export const callerOf = (meta: EventMeta): Caller => ({
  workspaceId: meta.workspaceId,
  organization: null,
  workspace: null,
  actor: meta.actor,
  actorKind: meta.actorKind,
  authMethod: meta.authMethod,
  role: null,
  platformRole: null,
  correlationId: meta.correlationId,
})
