import type { DescMessage } from '@bufbuild/protobuf'
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node'
import type { Row } from '@lettergate/database'
import type { Carrier } from '@lettergate/service/tracing'
import { isCanonicalUuid } from '@lettergate/values/uuid'
import type { OutboxEvent } from './outbox-event.entity.ts'

/** An outbox row, on its way to the wire. */
export type OutboxRow = Omit<Row<typeof OutboxEvent>, 'payload'> & { payload: Uint8Array }

/** ThingHappened → thing_happened */
export const eventName = (schema: DescMessage): string =>
  schema.name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

export const eventSubject = (service: string, event: string): string => `events.${service}.${event}`

export const sourceOf = (service: string): string => `//lettergate/${service}`

/** CloudEvents 1.0 over NATS, binary mode: one header per attribute, values percent-encoded. */
export function toHeaders(service: string, row: OutboxRow): MsgHdrs {
  const headers = natsHeaders()
  const add = (name: string, value: string | null) => {
    if (value !== null && value !== '') headers.append(name, encodeURIComponent(value))
  }
  add('ce-specversion', '1.0')
  add('ce-id', row.id)
  add('ce-type', `${row.headers.type}`)
  add('ce-source', sourceOf(service))
  add('ce-time', new Date(row.created_at).toISOString())
  add('ce-subject', row.event)
  add('ce-datacontenttype', 'application/protobuf')
  add('ce-workspaceid', row.workspace_id)
  add('ce-correlationid', row.headers.correlationId)
  add('ce-actor', row.headers.actor)
  for (const [name, value] of Object.entries(row.headers.trace)) headers.append(name, value)
  return headers
}

export interface EventMeta {
  id: string
  /** the service that announced it */
  source: string
  workspaceId: string | null
  time: Date
  correlationId: string
  actor: string
  trace: Carrier
}

/** Reads the headers back; throws when they are not ours, or not those of an event of this subject. */
export function fromHeaders(headers: MsgHdrs | undefined, subject: string): EventMeta {
  const known = new Map<string, string>()
  for (const [name, [value]] of headers ?? [])
    if (value !== undefined) known.set(name, name.startsWith('ce-') ? decodeURIComponent(value) : value)
  return metaOf((name) => known.get(name.startsWith('trace') ? name : `ce-${name}`), subject)
}

/**
 * What an event carries besides its payload, by the names of its CloudEvents attributes. The broker lets only the owner of a
 * subject publish on it; an event that claims another source or kind than its subject has been moved or forged, and throws.
 */
export function metaOf(attribute: (name: string) => string | undefined, subject: string): EventMeta {
  const id = attribute('id')
  // inboxes compare ids as text too
  if (id === undefined || !isCanonicalUuid(id)) throw new Error('an event without an id, or with one that is no UUID')
  const [service = '', event = ''] = subject.split('.').slice(-2)
  if (attribute('source') !== sourceOf(service) || attribute('subject') !== event)
    throw new Error(`an event that claims to be ${attribute('subject')} of ${attribute('source')} came on ${subject}`)
  const trace: Carrier = {}
  for (const name of ['traceparent', 'tracestate']) {
    const value = attribute(name)
    if (value !== undefined) trace[name] = value
  }
  return {
    id,
    source: service,
    workspaceId: attribute('workspaceid') ?? null,
    time: new Date(attribute('time') ?? 0),
    correlationId: attribute('correlationid') ?? id,
    actor: attribute('actor') ?? 'system:unknown',
    trace,
  }
}
