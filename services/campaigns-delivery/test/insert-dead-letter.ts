import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { newId } from '@lettergate/database'
import type { Stage } from '@lettergate/stage'
import { eventName } from '@lettergate/events/message'

interface FailedEvent<S extends DescMessage> {
  /** of the service that gave up */
  schema: string
  consumer: string
  workspaceId: string
  event: S
  init: MessageInitShape<S>
}

/** Inserts a dead letter in the form of a consumer that gave up. */
export async function insertDeadLetter<S extends DescMessage>(
  stage: Stage,
  { schema, consumer, workspaceId, event, init }: FailedEvent<S>,
): Promise<{ id: string; eventId: string }> {
  const [id, eventId] = [newId(), newId()]
  const headers = {
    id: eventId,
    workspaceId,
    time: new Date(),
    correlationId: 'of-the-request',
    actor: 'editor',
    trace: { traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01' },
  }
  await stage.query(
    `insert into ${schema}.dead_letters (id, consumer, subject, event_id, payload, headers, attempts, error)
     values ($1, $2, $3, $4, $5, $6, 10, 'error: no room for ada@example.com')`,
    [
      id,
      consumer,
      `${stage.bus().natsNamespace}.events.gateway.${eventName(event)}`,
      eventId,
      Buffer.from(toBinary(event, create(event, init))),
      JSON.stringify(headers),
    ],
  )
  return { id, eventId }
}
