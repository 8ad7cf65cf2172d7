import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { held, kyselyOf, transactionScopeOf, newId, sql, statement, uuidsOf, type Em } from '@lettergate/database'
import type { Caller } from '@lettergate/service'
import { carrier, type Carrier } from '@lettergate/service/tracing'
import { groupsOf, type EventGroup } from './event-batch.ts'
import { eventName } from './message.ts'
import { OutboxEvent, type EventHeaders } from './outbox-event.entity.ts'

/** The request that an event belongs to, if one transaction writes for many requests. */
export interface EventOrigin {
  workspaceId: string | null
  correlationId: string
  trace: Carrier
  /** the caller of that request; without it, the caller of the transaction */
  caller?: Pick<Caller, 'actor' | 'actorKind' | 'authMethod'>
}

function originOf(em: Em): EventOrigin {
  const { caller, workspaceId } = transactionScopeOf(em)
  return { workspaceId, correlationId: caller.correlationId, trace: carrier() }
}

/** Publishes an event after the transaction of `em` commits. If it does not commit, nothing is published. */
export const publish = <S extends DescMessage>(em: Em, schema: S, init: MessageInitShape<S>): Promise<void> =>
  publishAll(em, schema, [init])

/** Publishes many events of one kind in one statement, with the workspace, correlation id and trace of the transaction. */
export function publishAll<S extends DescMessage>(
  em: Em,
  schema: S,
  inits: readonly MessageInitShape<S>[],
): Promise<void> {
  const origin = originOf(em)
  return publishFrom(
    em,
    schema,
    inits.map((init) => ({ origin, init })),
  )
}

/**
 * Publishes an event under this id, unless the outbox has this id already. The outbox keeps events for 7 days. Transactions
 * that may publish the same id must hold a common lock, so that they run one after another.
 */
export async function publishOnce<S extends DescMessage>(
  em: Em,
  schema: S,
  id: string,
  init: MessageInitShape<S>,
): Promise<void> {
  const known = await kyselyOf(em, OutboxEvent)
    .selectFrom('outbox')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (known) return
  await publishFrom(em, schema, [{ origin: originOf(em), init, id }])
}

const insertEvents = statement('insert-outbox-events')
const insertGroup = statement('insert-waiting-events')

/**
 * Like publishAll, but each event keeps the workspace, correlation id and trace of its own request. For batched writes. An
 * event that is published only once for an object may use the id of that object.
 */
export async function publishFrom<S extends DescMessage>(
  em: Em,
  schema: S,
  events: readonly { origin: EventOrigin; init: MessageInitShape<S>; id?: string }[],
): Promise<void> {
  if (events.length === 0) return
  const scope = transactionScopeOf(em)
  const payloads = events.map(({ init }) => Buffer.from(toBinary(schema, create(schema, init))))
  const rows = events.map(({ id, origin }, index) => ({
    id: id ?? newId(),
    workspace_id: origin.workspaceId,
    headers: headersOf(schema, origin, scope.caller),
    data: payloads[index]!.toString('base64'),
  }))
  const ids = rows.map(({ id }) => id)
  const workspaces = rows.map(({ workspace_id }) => workspace_id)
  const headers = rows.map((row) => JSON.stringify(row.headers))
  const event = eventName(schema)
  await insertEvents.execute(
    em,
    held(sql`insert into outbox (id, event, workspace_id, payload, headers)
        select id, ${event}, workspace_id, payload, headers::json
          from unnest(${uuidsOf(ids)}::uuid[], ${workspaces}::uuid[], ${payloads}::bytea[], ${headers}::text[]) as t (id, workspace_id, payload, headers)`),
  )
  for (const group of groupsOf(rows)) await insertWaiting(em, { event, type: schema.typeName }, group)
  scope.published = true
}

function headersOf(schema: DescMessage, origin: EventOrigin, ofTransaction: Caller): EventHeaders {
  const { actor, actorKind, authMethod } = origin.caller ?? ofTransaction
  return {
    type: schema.typeName,
    correlationId: origin.correlationId,
    actor,
    // most events come from jobs and consumers, so the kind of the system is left out
    ...(actorKind === 'system' ? {} : { actorKind }),
    ...(authMethod === null ? {} : { authMethod }),
    trace: origin.trace,
  }
}

/** Inserts the events that the relay will publish. Without a time they were published in this transaction. */
export async function insertWaiting(
  em: Em,
  { event, type, createdAt }: { event: string; type: string; createdAt?: string },
  { ids, payloadBytes, text }: EventGroup,
): Promise<void> {
  await insertGroup.execute(
    em,
    held(sql`insert into outbox_pending (id, event, type, ids, event_count, payload_bytes, events, created_at)
        values (${newId()}, ${event}, ${type}, ${uuidsOf(ids)}::uuid[], ${ids.length}, ${payloadBytes}, ${text}, coalesce(${createdAt ?? null}::timestamptz, now()))`),
  )
}
