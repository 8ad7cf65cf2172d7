import { createHmac } from 'node:crypto'
import type { MsgHdrs } from '@nats-io/transport-node'
import { ignoring } from '@lettergate/fault'
import {
  attributeHeaders,
  attributesOfCaller,
  attributesOfKind,
  callerAttributes,
  metaReader,
  timeOf,
  type Attributes,
  type CallerAttribute,
  type EventMeta,
  type OutboxRow,
} from './message.ts'

const contentType = 'application/vnd.lettergate.event-batch+json'
const eventsMax = 500
const payloadBytesMax = 262_144

/** An event of a batch: its payload, and the CloudEvents attributes that are not in the headers of the message. */
interface BatchedEvent extends Record<string, string> {
  id: string
  time: string
  data: string
}

/** A received event: its metadata and its unparsed payload. */
export interface RawEvent {
  meta: EventMeta
  payload: Uint8Array
}

/**
 * Groups rows into messages: one kind for each message, in order, within a limit for count and size. A message costs the server
 * and both clients as much as a hundred events. As JSON, a group stays below the server's limit of one megabyte.
 */
export function groupForMessages(rows: readonly OutboxRow[]): OutboxRow[][] {
  const groups: OutboxRow[][] = []
  for (const ofKind of Map.groupBy(rows, ({ event }) => event).values()) {
    let group: OutboxRow[] = []
    let bytes = 0
    for (const row of ofKind) {
      const rowBytes = payloadBytes(row)
      if (group.length === eventsMax || (group.length > 0 && bytes + rowBytes > payloadBytesMax)) {
        groups.push(group)
        group = []
        bytes = 0
      }
      group.push(row)
      bytes += rowBytes
    }
    groups.push(group)
  }
  return groups
}

/** The size of the payload of an event. */
export const payloadBytes = ({ data }: OutboxRow): number => Buffer.byteLength(data, 'base64')

/**
 * The id by which the server detects a duplicate message. It depends on a secret of the publisher, so that no other service
 * can publish under this id first.
 */
export const messageId = (rows: readonly Pick<OutboxRow, 'id'>[], secret: string): string =>
  createHmac('sha256', secret)
    .update(rows.map(({ id }) => id).join())
    .digest('base64url')

/**
 * Many events as one message: the attributes that all of them share are in its headers, as in a message with one event. Its
 * body is a JSON array of the rest, with payloads in base64.
 */
export function toBatch(service: string, rows: readonly OutboxRow[]): { headers: MsgHdrs; data: Uint8Array } {
  const [first] = rows as [OutboxRow]
  const callers = callersOf(rows)
  const distinct = [...new Set(callers)]
  const isShared = (name: CallerAttribute) => distinct.every((caller) => caller[name] === callers[0]![name])
  const [shared, own] = [callerAttributes.filter(isShared), callerAttributes.filter((name) => !isShared(name))]
  const headers = attributeHeaders({ ...attributesOfKind(service, first), ...picked(callers[0]!, shared) })
  headers.append('content-type', contentType)
  const events = rows.map((row, index) => ({
    id: row.id,
    time: timeOf(row),
    ...(own.length === 0 ? undefined : picked(callers[index]!, own)),
    ...row.headers.trace,
    data: row.data,
  }))
  return { headers, data: Buffer.from(JSON.stringify(events)) }
}

/** The caller of each event. Events of one caller, one after the other, have the same object. */
function callersOf(rows: readonly OutboxRow[]): ReturnType<typeof attributesOfCaller>[] {
  let [row] = rows as [OutboxRow]
  let caller = attributesOfCaller(row)
  return rows.map((next) => {
    if (next.headers !== row.headers || next.workspace_id !== row.workspace_id) caller = attributesOfCaller(next)
    row = next
    return caller
  })
}

const picked = (attributes: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, attributes[name]]))

export const isBatch = (headers: MsgHdrs | undefined): boolean => headers?.get('content-type') === contentType

/**
 * Returns one reader for each event of a batch. A reader throws if its event is malformed. Throws if the message is no batch, or
 * if its events are not those of this subject.
 */
export function fromBatch(
  message: { headers?: MsgHdrs | undefined; data: Uint8Array },
  subject: string,
): (() => RawEvent)[] {
  const metaOf = metaReader(message.headers, subject)
  const events: unknown = JSON.parse(Buffer.from(message.data).toString())
  if (!Array.isArray(events) || events.length === 0) throw new Error('a batch without events')
  return (events as BatchedEvent[]).map((event) => () => ({
    meta: metaOf(event),
    payload: Buffer.from(event.data, 'base64'),
  }))
}

/**
 * The workspaces to which the events of a message belong. Undefined if an event belongs to none, or if the message cannot be
 * read.
 */
export function workspacesIn(message: {
  subject: string
  headers?: MsgHdrs | undefined
  data: Uint8Array
}): ReadonlySet<string> | undefined {
  try {
    const metas = isBatch(message.headers)
      ? fromBatch(message, message.subject).map((readEvent) => readEvent().meta)
      : [metaReader(message.headers, message.subject)()]
    const ids = metas.flatMap(({ workspaceId }) => workspaceId ?? [])
    return ids.length < metas.length ? undefined : new Set(ids)
  } catch (error) {
    ignoring(error, 'a message that cannot be read may concern every workspace')
    return undefined
  }
}
