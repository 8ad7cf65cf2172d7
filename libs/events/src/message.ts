import type { DescMessage } from '@bufbuild/protobuf'
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node'
import type { Row } from '@lettergate/database'
import type { Caller } from '@lettergate/service'
import type { Carrier } from '@lettergate/service/tracing'
import { isCanonicalUuid } from '@lettergate/values/uuid'
import type { OutboxEvent } from './outbox-event.entity.ts'

/** An outbox row without its payload. */
export type OutboxEntry = Omit<Row<typeof OutboxEvent>, 'payload'>

/** ThingHappened → thing_happened */
export const eventName = (schema: DescMessage): string =>
  schema.name.replace(/(?<!^)[A-Z]/g, (upper) => `_${upper}`).toLowerCase()

export const eventSubject = (service: string, event: string): string => `events.${service}.${event}`

export const sourceOf = (service: string): string => `//lettergate/${service}`

/** CloudEvents attributes by name. One that is undefined is not sent. */
export type Attributes = Readonly<Record<string, string | undefined>>

/** The attributes that events of one kind and service share. */
export const attributesOfKind = (service: string, { event, type }: { event: string; type: string }): Attributes => ({
  specversion: '1.0',
  type,
  source: sourceOf(service),
  subject: event,
  datacontenttype: 'application/protobuf',
})

export const callerAttributes = ['workspaceid', 'correlationid', 'actor', 'actorkind', 'authmethod'] as const
export type CallerAttribute = (typeof callerAttributes)[number]

/** The attributes that say for which caller an event was published. Events of one caller share them. */
export const attributesOfCaller = ({
  workspace_id,
  headers,
}: Pick<OutboxEntry, 'workspace_id' | 'headers'>): Readonly<Record<CallerAttribute, string | undefined>> => ({
  workspaceid: workspace_id ?? undefined,
  correlationid: headers.correlationId,
  actor: headers.actor,
  actorkind: headers.actorKind,
  authmethod: headers.authMethod,
})

/** CloudEvents 1.0 over NATS, binary mode: one header per attribute, values percent-encoded. */
export function attributeHeaders(attributes: Attributes): MsgHdrs {
  const headers = natsHeaders()
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== '') headers.append(`ce-${name}`, encodeURIComponent(value))
  return headers
}

/** The headers of a message with one event. */
export function toHeaders(service: string, row: OutboxEntry): MsgHdrs {
  const { id, event, created_at, headers } = row
  const own = { id, time: new Date(created_at).toISOString(), ...attributesOfCaller(row) }
  return eventHeaders({ ...attributesOfKind(service, { event, type: headers.type }), ...own }, headers.trace)
}

/** The headers of a message with one event, which has these attributes and belongs to this trace. */
export function eventHeaders(attributes: Attributes, trace: Carrier): MsgHdrs {
  const headers = attributeHeaders(attributes)
  for (const [name, value] of Object.entries(trace)) headers.append(name, value)
  return headers
}

/** What is known of a received event besides its data. Events of a message can share their time and trace. */
export interface EventMeta {
  id: string
  /** the service that published it; the broker lets no other service publish on its subjects */
  source: string
  workspaceId: string | null
  time: Date
  /** of the request or job that published it */
  correlationId: string
  /** the caller that published it */
  actor: string
  actorKind: Caller['actorKind']
  authMethod: string | null
  /** the trace of that request or job */
  trace: Carrier
}

const actorKinds: readonly Caller['actorKind'][] = ['human', 'agent', 'service', 'source', 'recipient', 'provider']

/** Events of jobs and consumers, and those of earlier releases, do not name the kind: it is the system. */
export const actorKindOf = (name: string | undefined): Caller['actorKind'] =>
  actorKinds.find((kind) => kind === name) ?? 'system'

/** The attributes in the headers of a message, by name. */
function attributesIn(headers: MsgHdrs | undefined): ReadonlyMap<string, string> {
  const known = new Map<string, string>()
  for (const [name, [value]] of headers ?? []) {
    if (value === undefined) continue
    if (name.startsWith('ce-')) known.set(name.slice('ce-'.length), decodeURIComponent(value))
    else if (name.startsWith('trace')) known.set(name, value)
  }
  return known
}

/** Reads an event from its own attributes and those that it shares. */
export type MetaReader = (own?: Readonly<Record<string, string>>) => EventMeta

/**
 * Reads the attributes that the events of a message share, and returns a function that does so for a group of them and returns the
 * reader of each event. The broker lets only the owner of a subject publish on it. A message whose source or kind differs from its
 * subject was moved or forged, so this function throws. The reader throws for an event without a UUID.
 */
export function metaReader(
  headers: MsgHdrs | undefined,
  subject: string,
): (ofGroup?: Readonly<Record<string, unknown>>) => MetaReader {
  const shared = attributesIn(headers)
  const [source = '', event = ''] = subject.split('.').slice(-2)
  if (shared.get('source') !== sourceOf(source) || shared.get('subject') !== event)
    throw new Error(
      `an event with the kind ${shared.get('subject')} and the source ${shared.get('source')} came on ${subject}`,
    )
  return (ofGroup = {}) => {
    const attribute = (name: string) => (ofGroup[name] as string | undefined) ?? shared.get(name)
    const time = new Date(attribute('time') ?? '1970-01-01')
    const workspaceId = attribute('workspaceid') ?? null
    const correlationId = attribute('correlationid')
    const actor = attribute('actor') ?? 'system:unknown'
    const actorKind = attribute('actorkind')
    const authMethod = attribute('authmethod') ?? null
    const sharedTrace = traceOf({ traceparent: attribute('traceparent'), tracestate: attribute('tracestate') })
    return (own = {}) => {
      const id = own.id ?? attribute('id')
      // inboxes compare ids as text, so only the canonical form is allowed
      if (id === undefined || !isCanonicalUuid(id))
        throw new Error('an event without an id, or with one that is no UUID')
      return {
        id,
        source,
        workspaceId: own.workspaceid ?? workspaceId,
        time,
        correlationId: own.correlationid ?? correlationId ?? id,
        actor: own.actor ?? actor,
        actorKind: actorKindOf(own.actorkind ?? actorKind),
        authMethod: own.authmethod ?? authMethod,
        trace: own.traceparent === undefined ? sharedTrace : traceOf(own),
      }
    }
  }
}

/** The trace in these attributes. */
export const traceOf = ({ traceparent, tracestate }: Readonly<Record<string, string | undefined>>): Carrier => ({
  ...(traceparent === undefined ? {} : { traceparent }),
  ...(tracestate === undefined ? {} : { tracestate }),
})
