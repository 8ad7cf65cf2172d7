import { createHmac } from 'node:crypto'
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node'
import { metaOf, sourceOf, type EventMeta, type OutboxRow } from './message.ts'

const contentType = 'application/cloudevents-batch+json'
const eventsMax = 500
const payloadBytesMax = 262_144

/** CloudEvents 1.0 in JSON: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md, section 4. */
interface JsonEvent extends Record<string, string> {
  id: string
  data_base64: string
}

/** An event as it came: who announced it and when, and its payload, unread. */
export interface Arrived {
  meta: EventMeta
  payload: Uint8Array
}

/**
 * Rows that may travel in one message: of one kind, in their order, so many and so large at most. A message costs the
 * server and both clients what a hundred events cost. As JSON they stay below the megabyte that the server takes.
 */
export function together(rows: readonly OutboxRow[]): OutboxRow[][] {
  const sets: OutboxRow[][] = []
  for (const ofKind of Map.groupBy(rows, ({ event }) => event).values()) {
    let set: OutboxRow[] = []
    let bytes = 0
    for (const row of ofKind) {
      if (set.length === eventsMax || (set.length > 0 && bytes + row.payload.length > payloadBytesMax)) {
        sets.push(set)
        set = []
        bytes = 0
      }
      set.push(row)
      bytes += row.payload.length
    }
    sets.push(set)
  }
  return sets
}

/**
 * What the server knows a message by, to drop its copy. It depends on a secret of the publisher, so that no other service can
 * use up the id of an event beforehand.
 */
export const messageId = (rows: readonly OutboxRow[], secret: string): string =>
  createHmac('sha256', secret)
    .update(rows.map(({ id }) => id).join())
    .digest('base64url')

/** Many events as one message: the JSON batch format of CloudEvents. */
export function toBatch(service: string, rows: readonly OutboxRow[]): { headers: MsgHdrs; data: Uint8Array } {
  const headers = natsHeaders()
  headers.append('content-type', contentType)
  const events = rows.map(({ id, event, workspace_id, payload, headers: own, created_at }) => ({
    specversion: '1.0',
    id,
    type: own.type,
    source: sourceOf(service),
    time: new Date(created_at).toISOString(),
    subject: event,
    datacontenttype: 'application/protobuf',
    ...(workspace_id === null ? {} : { workspaceid: workspace_id }),
    correlationid: own.correlationId,
    actor: own.actor,
    ...own.trace,
    data_base64: Buffer.from(payload).toString('base64'),
  }))
  return { headers, data: Buffer.from(JSON.stringify(events)) }
}

export const isBatch = (headers: MsgHdrs | undefined): boolean => headers?.get('content-type') === contentType

/** Reads a batch back; throws when an event in it is not one of this subject. */
export const fromBatch = (data: Uint8Array, subject: string): Arrived[] =>
  (JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()) as JsonEvent[]).map((event) => ({
    meta: metaOf((name) => event[name], subject),
    payload: Buffer.from(event.data_base64, 'base64'),
  }))
