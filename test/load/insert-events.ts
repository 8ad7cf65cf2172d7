import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { newId } from '@lettergate/database'
import { groupsOf } from '@lettergate/events/event-batch'
import { eventName } from '@lettergate/events/message'
import type { Bench } from './bench.ts'

/** One transaction of a service publishes about this many events under load. */
const eventsOfTransaction = 100

/** Inserts events as the service of this schema publishes them. */
export async function insertEvents<S extends DescMessage>(
  { database }: Pick<Bench, 'database'>,
  schema: string,
  workspaceId: string,
  kind: S,
  inits: readonly (MessageInitShape<S> & { id?: string })[],
): Promise<void> {
  const event = eventName(kind)
  const headers = { type: kind.typeName, correlationId: newId(), actor: 'bench', trace: {} }
  const rows = inits.map((init) => {
    const payload = Buffer.from(toBinary(kind, create(kind, init)))
    const data = payload.toString('base64')
    return { id: init.id ?? newId(), workspace_id: workspaceId, headers, payload, data }
  })
  await database.query(
    `insert into ${schema}.outbox (id, event, workspace_id, payload, headers)
     select id, $1, $2, payload, $3::json from unnest($4::uuid[], $5::bytea[]) as t (id, payload)`,
    [event, workspaceId, JSON.stringify(headers), rows.map(({ id }) => id), rows.map(({ payload }) => payload)],
  )
  for (let at = 0; at < rows.length; at += eventsOfTransaction)
    for (const { ids, payloadBytes, text } of groupsOf(rows.slice(at, at + eventsOfTransaction)))
      await database.query(
        `insert into ${schema}.outbox_pending (id, event, type, ids, event_count, payload_bytes, events, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, now())`,
        [newId(), event, kind.typeName, ids, ids.length, payloadBytes, text],
      )
}
