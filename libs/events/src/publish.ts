import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { execute, meaningOf, newId, sql, type Em } from '@lettergate/database'
import { carrier } from '@lettergate/service/tracing'
import { eventName, type EventHeaders } from './message.ts'

/** Announces a fact: it leaves once the transaction of `em` commits, and not at all otherwise. */
export const publish = <S extends DescMessage>(em: Em, schema: S, init: MessageInitShape<S>): Promise<void> => publishAll(em, schema, [init])

/** Announces many facts of one kind in one statement. Workspace, correlation id and trace are those of the transaction. */
export async function publishAll<S extends DescMessage>(em: Em, schema: S, inits: readonly MessageInitShape<S>[]): Promise<void> {
  if (inits.length === 0) return
  const meaning = meaningOf(em)
  const headers: EventHeaders = { type: schema.typeName, correlationId: meaning.caller.correlationId, actor: meaning.caller.actor, trace: carrier() }
  const ids = inits.map(() => newId())
  const payloads = inits.map((init) => Buffer.from(toBinary(schema, create(schema, init))))
  await execute(
    em,
    sql`insert into outbox (id, event, workspace_id, payload, headers)
        select id, ${eventName(schema)}, ${meaning.workspaceId}::uuid, payload, ${JSON.stringify(headers)}::jsonb
          from unnest(${ids}::uuid[], ${payloads}::bytea[]) as t (id, payload)`,
  )
  meaning.published = true
}
