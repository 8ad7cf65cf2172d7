import { createHash } from 'node:crypto'
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node'
import { metaOf, type EventMeta, type OutboxRow } from './message.ts'

const contentType = 'application/cloudevents-batch+json'
const eventsMax = 100
const payloadBytesMax = 131_072

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
 * server and both clients what a hundred events cost.
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

/** What the server knows a message by, to drop its copy: the id of its event, or the hash of all ids. */
export const messageId = (rows: readonly OutboxRow[]): string =>
  rows.length === 1
    ? rows[0]!.id
    : createHash('sha256')
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
    source: `//lettergate/${service}`,
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

/** Reads a batch back. */
export const fromBatch = (data: Uint8Array): Arrived[] =>
  (JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()) as JsonEvent[]).map((event) => ({
    meta: metaOf((name) => event[name]),
    payload: Buffer.from(event.data_base64, 'base64'),
  }))
