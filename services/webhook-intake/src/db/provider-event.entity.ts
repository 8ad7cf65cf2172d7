import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { defineEntity, p } from '@mikro-orm/core'
import type { ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import {
  arrayOf,
  column,
  columns,
  kyselyOf,
  nullable,
  prepared,
  sql,
  statement,
  textsOf,
  type Em,
} from '@lettergate/database'
import { idCeiling } from '@lettergate/database/page'
import { noDigest } from './erased-message.entity.ts'
import type { EventFacts, ProviderEventKind } from '../providers/mailgun/provider-event.ts'

export const ProviderEvent = defineEntity({
  name: 'ProviderEvent',
  tableName: 'provider_events',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    connectionId: p.uuid(),
    providerEventId: p.string(),
    event: p.string().$type<ProviderEventKind>(),
    severity: p.string().$type<'permanent' | 'temporary'>().nullable(),
    reason: p.string().nullable(),
    messageId: p.uuid().nullable(),
    providerMessageId: p.string().nullable(),
    occurredAt: p.datetime(),
    receivedAt: p.datetime(),
    bodyBytes: p.integer(),
    bodySha256: p.blob(),
    contradictedAt: p.datetime().nullable(),
    replayedAt: p.datetime().nullable(),
    erasedAt: p.datetime().nullable(),
  },
})

export interface StoredEvent extends EventFacts {
  id: string
  workspaceId: string
  connectionId: string
  receivedAt: Date
  digest: Buffer
  bodyBytes: number
}

/** The announced event of a stored row. */
export const announcementOf = (
  event: Omit<StoredEvent, 'workspaceId' | 'digest' | 'bodyBytes' | 'providerEventId'>,
): MessageInitShape<typeof ProviderEventReceivedSchema> => ({
  id: event.id,
  connectionId: event.connectionId,
  event: event.event,
  severity: event.severity ?? undefined,
  reason: event.reason ?? undefined,
  messageId: event.messageId ?? undefined,
  providerMessageId: event.providerMessageId ?? undefined,
  occurredAt: timestampFromDate(event.occurredAt),
  receivedAt: timestampFromDate(event.receivedAt),
})

type EventKey = Pick<StoredEvent, 'connectionId' | 'providerEventId'>

const insertEvents = statement('insert-provider-events', columns(ProviderEvent, 'id'))

/** Inserts the events that are not stored yet and returns their ids. Waits for events that another transaction is inserting. */
export async function insertNew(em: Em, events: StoredEvent[]): Promise<string[]> {
  if (events.length === 0) return []
  // All batches use the same order, so that two batches never deadlock.
  const sorted = events.toSorted((a, b) =>
    a.connectionId + a.providerEventId < b.connectionId + b.providerEventId ? -1 : 1,
  )
  const ids = (pick: (event: StoredEvent) => string | number) => arrayOf(sorted.map(pick))
  const texts = (pick: (event: StoredEvent) => string | null) => textsOf(sorted.map(pick))
  const added = await insertEvents.rows(
    em,
    prepared(sql`insert into provider_events (id, workspace_id, connection_id, provider_event_id, event, severity, reason, message_id, provider_message_id, occurred_at, received_at, body_bytes, body_sha256, erased_at)
        select t.id, t.workspace_id, connection_id, provider_event_id, event, severity, reason, t.message_id, provider_message_id, to_timestamp(occurred_ms / 1000.0), to_timestamp(received_ms / 1000.0),
               body_bytes, case when e.message_id is null then decode(digest, 'hex') else ${noDigest} end, case when e.message_id is not null then now() end
          from unnest(
          ${ids((event) => event.id)}::uuid[], ${ids((event) => event.workspaceId)}::uuid[], ${ids((event) => event.connectionId)}::uuid[],
          ${texts((event) => event.providerEventId)}::text[], ${ids((event) => event.event)}::text[], ${ids((event) => event.severity ?? 'NULL')}::text[],
          ${texts((event) => event.reason)}::text[], ${ids((event) => event.messageId ?? 'NULL')}::uuid[], ${texts((event) => event.providerMessageId)}::text[],
          ${ids((event) => event.occurredAt.getTime())}::bigint[], ${ids((event) => event.receivedAt.getTime())}::bigint[],
          ${ids((event) => event.bodyBytes)}::int[], ${ids((event) => event.digest.toString('hex'))}::text[])
            as t (id, workspace_id, connection_id, provider_event_id, event, severity, reason, message_id, provider_message_id, occurred_ms, received_ms, body_bytes, digest)
          left join erased_messages e on e.workspace_id = t.workspace_id and e.message_id = t.message_id
        on conflict (connection_id, provider_event_id) do nothing returning id`),
  )
  return added.map((row) => row.id)
}

const selectKept = statement('select-provider-events-by-key', {
  ...columns(ProviderEvent, 'id', 'connection_id', 'provider_event_id'),
  digest: nullable(column.bytea()),
})

/** The stored events with these keys. The digest of an erased event is null, so its content cannot be compared. */
export async function findStored(
  em: Em,
  keys: EventKey[],
): Promise<(EventKey & { id: string; digest: Buffer | null })[]> {
  if (keys.length === 0) return []
  const found = await selectKept.rows(
    em,
    sql`select id, e.connection_id, e.provider_event_id, case when erased_at is null then body_sha256 end as digest
          from unnest(${keys.map((key) => key.connectionId)}::uuid[], ${keys.map((key) => key.providerEventId)}::text[]) as k (connection_id, provider_event_id)
          join provider_events e using (connection_id, provider_event_id)`,
  )
  return found.map(({ id, digest, connection_id: connectionId, provider_event_id: providerEventId }) => ({
    id,
    digest,
    connectionId,
    providerEventId,
  }))
}

/** Marks events that arrived again with different content; returns the ids that were not marked before. */
export async function markContradicted(em: Em, ids: string[]): Promise<string[]> {
  const marked = await kyselyOf(em, ProviderEvent)
    .updateTable('provider_events')
    .set({ contradicted_at: sql`now()` })
    .where('id', '=', (eb) => eb.fn.any(eb.val(ids.toSorted())))
    .where('contradicted_at', 'is', null)
    .returning('id')
    .execute()
  return marked.map(({ id }) => id)
}

const selectLimit = statement('select-provider-event-limit', { at: column.double() })
const deleteEvents = statement('delete-old-provider-events')

/** Deletes events that are older than these days, oldest first. Ids are ordered by time, so no other index is needed. */
export async function deleteOldEvents(em: Em, { days, most }: { days: number; most: number }): Promise<number> {
  const limit = await selectLimit.row(
    em,
    sql`select (extract(epoch from now() - ${days} * interval '1 day') * 1000)::float8 as at`,
  )
  return deleteEvents.execute(
    em,
    sql`delete from provider_events where id in (
          select id from provider_events
           where id < ${idCeiling(new Date(limit!.at))} and received_at < now() - ${days} * interval '1 day'
           order by id limit ${most} for update skip locked)`,
  )
}
