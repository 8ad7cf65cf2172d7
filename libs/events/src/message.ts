import type { DescMessage } from '@bufbuild/protobuf'
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node'
import type { Carrier } from '@lettergate/service/tracing'

/** An outbox row, on its way to the wire. */
export interface OutboxRow {
  id: string
  event: string
  workspace_id: string | null
  payload: Uint8Array
  headers: EventHeaders
  created_at: string
}

/** What an event carries besides its payload; kept in the outbox so that a later publish continues the same trace. */
export interface EventHeaders {
  type: string
  correlationId: string
  actor: string
  trace: Carrier
}

/** ThingHappened → thing_happened */
export const eventName = (schema: DescMessage): string =>
  schema.name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

export const eventSubject = (service: string, event: string): string => `events.${service}.${event}`

/** CloudEvents 1.0 over NATS, binary mode: one header per attribute, values percent-encoded. */
export function toHeaders(service: string, row: OutboxRow): MsgHdrs {
  const headers = natsHeaders()
  const set = (name: string, value: string | null) => {
    if (value !== null && value !== '') headers.set(name, encodeURIComponent(value))
  }
  set('ce-specversion', '1.0')
  set('ce-id', row.id)
  set('ce-type', `${row.headers.type}`)
  set('ce-source', `//lettergate/${service}`)
  set('ce-time', new Date(row.created_at).toISOString())
  set('ce-subject', row.event)
  set('ce-datacontenttype', 'application/protobuf')
  set('ce-workspaceid', row.workspace_id)
  set('ce-correlationid', row.headers.correlationId)
  set('ce-actor', row.headers.actor)
  for (const [name, value] of Object.entries(row.headers.trace)) headers.set(name, value)
  return headers
}

export interface EventMeta {
  id: string
  workspaceId: string | null
  time: Date
  correlationId: string
  actor: string
  trace: Carrier
}

/** Reads the headers back; undefined when they are not ours. */
export function fromHeaders(headers: MsgHdrs | undefined): EventMeta | undefined {
  if (!headers?.has('ce-id')) return undefined
  const get = (name: string) => (headers.has(name) ? decodeURIComponent(headers.get(name)) : null)
  const trace: Carrier = {}
  for (const name of ['traceparent', 'tracestate']) if (headers.has(name)) trace[name] = headers.get(name)
  return {
    id: get('ce-id')!,
    workspaceId: get('ce-workspaceid'),
    time: new Date(get('ce-time') ?? 0),
    correlationId: get('ce-correlationid') ?? get('ce-id')!,
    actor: get('ce-actor') ?? 'system:unknown',
    trace,
  }
}
