import { createHmac } from 'node:crypto'
import type { MsgHdrs } from '@nats-io/transport-node'
import { ignoring } from '@lettergate/fault'
import type { Carrier } from '@lettergate/service/tracing'
import {
  attributeHeaders,
  attributesOfCaller,
  attributesOfKind,
  callerAttributes,
  eventHeaders,
  metaReader,
  traceOf,
  type Attributes,
  type CallerAttribute,
  type EventMeta,
  type OutboxEntry,
} from './message.ts'

const contentType = 'application/vnd.lettergate.event-groups+json'
const eventsMax = 500
const payloadBytesMax = 262_144

/** An outbox row that will be published. `data` is its payload in base64. */
export type GroupedRow = Pick<OutboxEntry, 'id' | 'workspace_id' | 'headers'> & { data: string }

/** An event of a group: its payload, its trace, and the CloudEvents attributes that the events of the group do not share. */
interface GroupedEvent extends Record<string, string> {
  id: string
  data: string
}

/** Events of one kind that one transaction published. `text` is JSON: the attributes that they share, and each event. */
export interface EventGroup {
  ids: string[]
  payloadBytes: number
  text: string
}

/** A group that is about to be sent. */
export interface WaitingGroup {
  id: string
  event: string
  /** the CloudEvents type */
  type: string
  /** of the transaction that published it, in RFC 3339 */
  time: string
  events: number
  payloadBytes: number
  text: string
}

/** A received event: its metadata and its unparsed payload. */
export interface RawEvent {
  meta: EventMeta
  payload: Uint8Array
}

/** The events of one transaction and kind, in order, as groups that fit into a message each. */
export const groupsOf = (rows: readonly GroupedRow[]): EventGroup[] =>
  inMessages(rows, () => 1, payloadBytes).map((group) => ({
    ids: group.map(({ id }) => id),
    payloadBytes: group.reduce((sum, row) => sum + payloadBytes(row), 0),
    text: JSON.stringify(withShared(group)),
  }))

const payloadBytes = ({ data }: GroupedRow): number => Buffer.byteLength(data, 'base64')

function withShared(rows: readonly GroupedRow[]): object {
  const callers = callersOf(rows)
  const distinct = [...new Set(callers)]
  const isShared = (name: CallerAttribute) => distinct.every((caller) => caller[name] === callers[0]![name])
  const [shared, own] = [callerAttributes.filter(isShared), callerAttributes.filter((name) => !isShared(name))]
  const events = rows.map(({ id, headers, data }, index) => ({
    id,
    ...(own.length === 0 ? undefined : picked(callers[index]!, own)),
    ...headers.trace,
    data,
  }))
  return { ...picked(callers[0]!, shared), events }
}

/** The caller of each event. Events of one caller, one after the other, have the same object. */
function callersOf(rows: readonly GroupedRow[]): ReturnType<typeof attributesOfCaller>[] {
  let [row] = rows as [GroupedRow]
  let caller = attributesOfCaller(row)
  return rows.map((next) => {
    if (next.headers !== row.headers || next.workspace_id !== row.workspace_id) caller = attributesOfCaller(next)
    row = next
    return caller
  })
}

const picked = (attributes: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, attributes[name]]))

/**
 * Divides waiting groups into messages: one kind for each message, in order, within a limit for count and size. A message costs the
 * server and both clients as much as a hundred events. As JSON, a message of more than one event stays below the server's limit of
 * one megabyte.
 */
export const groupForMessages = (groups: readonly WaitingGroup[]): WaitingGroup[][] =>
  [...Map.groupBy(groups, ({ event }) => event).values()].flatMap((ofKind) =>
    inMessages(
      ofKind,
      ({ events }) => events,
      ({ payloadBytes: bytes }) => bytes,
    ),
  )

function inMessages<T>(items: readonly T[], eventsOf: (item: T) => number, bytesOf: (item: T) => number): T[][] {
  const messages: T[][] = []
  let [events, bytes] = [0, 0]
  for (const item of items) {
    events += eventsOf(item)
    bytes += bytesOf(item)
    const message = messages.at(-1)
    if (message !== undefined && events <= eventsMax && bytes <= payloadBytesMax) {
      message.push(item)
      continue
    }
    messages.push([item])
    ;[events, bytes] = [eventsOf(item), bytesOf(item)]
  }
  return messages
}

/**
 * The id by which the server detects a duplicate message. It depends on a secret of the publisher, so that no other service
 * can publish under this id first.
 */
export const messageId = (groups: readonly Pick<WaitingGroup, 'id'>[], secret: string): string =>
  createHmac('sha256', secret)
    .update(groups.map(({ id }) => id).join())
    .digest('base64url')

/**
 * These groups of one kind as one message. A single event has all its attributes in the headers, as CloudEvents defines it for NATS,
 * and belongs to `trace`. Otherwise the body is a JSON array of the groups, with payloads in base64.
 */
export function toMessage(
  service: string,
  groups: readonly WaitingGroup[],
  trace: Carrier = {},
): { headers: MsgHdrs; data: Uint8Array } {
  const [first, ...others] = groups as [WaitingGroup]
  const kind = attributesOfKind(service, first)
  if (others.length === 0 && first.events === 1) {
    const { events, ...shared } = parsed(first)
    const event = events[0]!
    const attributes = { ...kind, id: event.id, time: first.time, ...shared }
    const headers = eventHeaders(attributes, { ...traceOf(event), ...trace })
    return { headers, data: Buffer.from(event.data, 'base64') }
  }
  const headers = attributeHeaders(kind)
  headers.append('content-type', contentType)
  // each text begins with the brace of an object that is not empty
  const texts = groups.map(({ time, text }) => `{"time":"${time}",${text.slice(1)}`)
  return { headers, data: Buffer.from(`[${texts.join()}]`) }
}

/** The id and the trace of each event in these groups. */
export const tracedEvents = (groups: readonly WaitingGroup[]): { id: string; trace: Carrier }[] =>
  groups.flatMap((group) => parsed(group).events.map((event) => ({ id: event.id, trace: traceOf(event) })))

/** The written text of a group; reading one that was received is the work of fromBatch. */
const parsed = ({ text }: WaitingGroup) => JSON.parse(text) as Attributes & { events: GroupedEvent[] }

export const isBatch = (headers: MsgHdrs | undefined): boolean => headers?.get('content-type') === contentType

/**
 * Returns one reader for each event of a batch. A reader throws if its event is malformed. Throws if the message is no batch, or
 * if its events are not those of this subject.
 */
export function fromBatch(
  message: { headers?: MsgHdrs | undefined; data: Uint8Array },
  subject: string,
): (() => RawEvent)[] {
  const metaOfGroup = metaReader(message.headers, subject)
  const groups: unknown = JSON.parse(Buffer.from(message.data).toString())
  if (!Array.isArray(groups)) throw new Error('a batch that is no list of groups')
  const readers = (groups as (Record<string, string> & { events: GroupedEvent[] })[]).flatMap((group) => {
    const metaOf = metaOfGroup(group)
    return group.events.map((event) => () => ({ meta: metaOf(event), payload: Buffer.from(event.data, 'base64') }))
  })
  if (readers.length === 0) throw new Error('a batch without events')
  return readers
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
      : [metaReader(message.headers, message.subject)()()]
    const ids = metas.flatMap(({ workspaceId }) => workspaceId ?? [])
    return ids.length < metas.length ? undefined : new Set(ids)
  } catch (error) {
    ignoring(error, 'a message that cannot be read may concern every workspace')
    return undefined
  }
}
