import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { kyselyOf, meaningOf, newId, prepared, sql, statement, type Em } from '@lettergate/database'
import { carrier, type Carrier } from '@lettergate/service/tracing'
import { eventName } from './message.ts'
import { OutboxEvent, type EventHeaders } from './outbox-event.entity.ts'

/** Where a fact came from, when one transaction writes for many requests at once. */
export interface Origin {
  workspaceId: string | null
  correlationId: string
  trace: Carrier
}

function originOf(em: Em): Origin {
  const { caller, workspaceId } = meaningOf(em)
  return { workspaceId, correlationId: caller.correlationId, trace: carrier() }
}

/** Announces a fact: it leaves once the transaction of `em` commits, and not at all otherwise. */
export const publish = <S extends DescMessage>(em: Em, schema: S, init: MessageInitShape<S>): Promise<void> =>
  publishAll(em, schema, [init])

/** Announces many facts of one kind in one statement. Workspace, correlation id and trace are those of the transaction. */
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
 * Announces a fact under this id, unless one was announced under it within the 7 days that the outbox keeps. Transactions
 * that may announce the same id must hold a lock that makes them follow each other.
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

/**
 * Like publishAll, but each fact keeps the workspace, correlation id and trace of its own request. For micro-batched writes.
 * A fact about something that is announced once in its life may go under that thing's id.
 */
export async function publishFrom<S extends DescMessage>(
  em: Em,
  schema: S,
  facts: readonly { origin: Origin; init: MessageInitShape<S>; id?: string }[],
): Promise<void> {
  if (facts.length === 0) return
  const meaning = meaningOf(em)
  const ids = facts.map(({ id }) => id ?? newId())
  const workspaces = facts.map(({ origin }) => origin.workspaceId)
  const payloads = facts.map(({ init }) => Buffer.from(toBinary(schema, create(schema, init))))
  const headers = facts.map(({ origin }) => {
    const header: EventHeaders = {
      type: schema.typeName,
      correlationId: origin.correlationId,
      actor: meaning.caller.actor,
      trace: origin.trace,
    }
    return JSON.stringify(header)
  })
  await insertEvents.execute(
    em,
    prepared(sql`insert into outbox (id, event, workspace_id, payload, headers)
        select id, ${eventName(schema)}, workspace_id, payload, headers::jsonb
          from unnest(${ids}::uuid[], ${workspaces}::uuid[], ${payloads}::bytea[], ${headers}::text[]) as t (id, workspace_id, payload, headers)`),
  )
  meaning.published = true
}
