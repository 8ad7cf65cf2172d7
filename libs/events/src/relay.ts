import { setTimeout as sleep } from 'node:timers/promises'
import {
  column,
  columns,
  kyselyOf,
  nullable,
  prepared,
  sql,
  statement,
  type Database,
  type Em,
  type RowOf,
} from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { SpanKind, traced, carrier } from '@lettergate/service/tracing'
import { gauge, repeat, systemCaller, type Part, type Service } from '@lettergate/service'
import type { Bus } from './bus.ts'
import { groupForMessages, messageId, payloadBytes, toBatch } from './event-batch.ts'
import { eventSubject, toHeaders, type OutboxRow } from './message.ts'
import { OutboxEvent, type EventHeaders } from './outbox-event.entity.ts'
import { RelayState } from './relay-state.entity.ts'
import { purgeEvents } from './purge-events.ts'

const batchRows = 1_000
const batchBytes = 4_194_304
/** batches that one process publishes concurrently under load */
const lanes = 2
const pollMs = 2_000
const batchDelayMs = 50
/** A transaction waits for JetStream and sends no statement meanwhile. */
const publishMsMax = 60_000
const purgeMs = 600_000
const checkStreamEveryMs = 10_000
/** The outbox is stuck when an event of this age is not published. */
const stuckSeconds = 300

const selectAge = statement('select-oldest-pending-age', { age: nullable(column.double()) })
const selectWaiting = statement('select-whether-events-wait', { is_waiting: column.boolean() })
const takenColumns = {
  ...columns(OutboxEvent, 'event'),
  ids: column.text(),
  callers: column.text(),
  times: column.text(),
  payloads: column.text(),
}
const takePending = statement('take-pending-events', takenColumns)
const publishAgain = statement('publish-events-again')

/**
 * Publishes committed outbox rows, directly after a commit of this process and by a poll every 2 s. Batches start at least 50 ms
 * apart, so that one batch takes many rows under load; with a backlog, two batches run concurrently. A row stays pending until
 * JetStream acknowledges it. JetStream drops duplicates within two minutes. If the stream is a new one (the server lost its
 * store, or the stream was deleted), the events of the last seven days are published again, and the inboxes skip the handled
 * ones. The relay checks for a new stream after every failure and reconnect, and every 10 s. While an event has waited for more
 * than five minutes, the condition `outbox` of the service does not hold; the gateway asks for it, and raises the alert.
 */
export async function relayOutbox(service: Service, db: Database, bus: Bus): Promise<Part> {
  const scope = { caller: systemCaller('relay-outbox', 'relay-outbox'), workspaceId: null, system: 'relay-outbox' }
  const system = <T>(work: (em: Em) => Promise<T>) => transaction(db, scope, work)

  async function oldestSeconds(): Promise<number> {
    const found = await system((em) =>
      selectAge.row(em, sql`select extract(epoch from now() - min(waits_since))::float8 as age from outbox_pending`),
    )
    return found!.age ?? 0
  }
  gauge(service, {
    name: 'lettergate_outbox_oldest_seconds',
    help: 'Age of the oldest event that is committed and not yet published',
    read: oldestSeconds,
  })
  service.condition('outbox', async () => {
    const seconds = await oldestSeconds()
    if (seconds > stuckSeconds) throw new Error(`the oldest event waits for ${Math.round(seconds)} s`)
  })

  /** Publishes these rows as one message. Answers the ids of the rows that the stream has stored. */
  async function send(events: OutboxRow[]): Promise<string[]> {
    const [first, ...others] = events as [OutboxRow, ...OutboxRow[]]
    const subject = bus.subject(eventSubject(service.name, first.event))
    const attributes = {
      'messaging.system.name': 'nats',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.name': subject,
      ...(others.length === 0
        ? { 'messaging.message.id': first.id }
        : { 'messaging.batch.message_count': events.length }),
    }
    const links = others.map(({ headers }) => headers.trace)
    const options = { kind: SpanKind.PRODUCER, parent: first.headers.trace, links, attributes }
    try {
      await traced(`send ${first.event}`, options, () => {
        if (others.length > 0) {
          const { headers, data } = toBatch(service.name, events)
          return bus.js.publish(subject, data, { msgID: messageId(events, bus.secret), headers })
        }
        const onward = { ...first, headers: { ...first.headers, trace: { ...first.headers.trace, ...carrier() } } }
        return bus.js.publish(subject, Buffer.from(first.data, 'base64'), {
          msgID: messageId(events, bus.secret),
          headers: toHeaders(service.name, onward),
        })
      })
      return events.map(({ id }) => id)
    } catch (error) {
      service.log.warn({ err: error, event: first.event }, 'events could not be published; they will be retried')
      return []
    }
  }

  /** Publishes the oldest pending events, and answers whether more may be pending. If one fails, all of the batch stay pending. */
  async function relayOnce(): Promise<boolean> {
    return transaction(db, { ...scope, idleTransactionMs: publishMsMax }, async (em) => {
      const taken = await takePending.rows(
        em,
        prepared(sql`with waiting as (
            select tid, sum(payload_bytes) over (order by id) - payload_bytes as bytes_before from (
              select ctid as tid, id, payload_bytes from outbox_pending order by id limit ${batchRows} for update skip locked) w),
          taken as (
            delete from outbox_pending where ctid = any(array(select tid from waiting where bytes_before < ${batchBytes})) returning id),
          events as materialized (
            select id, event, coalesce(workspace_id::text, '') || headers::text as caller, created_at, payload from outbox
             where id = any(array(select id from taken)) order by id),
          published as (insert into outbox_published (ids) select array_agg(id) from events having count(*) > 0)
          select event, string_agg(id::text, ',') as ids, string_agg(caller, E'\\n') as callers, string_agg(created_at::text, ',') as times,
                 string_agg(replace(encode(payload, 'base64'), E'\\n', ''), ',') as payloads
            from events group by event`),
      )
      const waiting = taken.flatMap(rowsOf)
      if (waiting.length === 0) return false
      const sent = (await Promise.all(groupForMessages(waiting).map(send))).flat()
      if (sent.length < waiting.length)
        throw new Error(`${waiting.length - sent.length} of ${waiting.length} events are waiting for NATS`)
      return waiting.length === batchRows || bytesOf(waiting) >= batchBytes
    }).catch((error: unknown) => {
      mustCheckStream = true
      throw error
    })
  }

  /** One statement without a transaction: a poll of an idle process rarely finds an event. */
  async function isAnyWaiting(): Promise<boolean> {
    const found = await selectWaiting.row(
      db.fork(),
      prepared(sql`select exists (select from outbox_pending) as is_waiting`),
    )
    return found!.is_waiting
  }

  async function relayAll() {
    while (await relayOnce());
  }

  async function republishToNewStream() {
    const created = (await bus.jsm.streams.info(bus.stream('EVENTS'))).created
    if (created === seen) return
    await system(async (em) => {
      const known = await kyselyOf(em, RelayState)
        .selectFrom('relay_state')
        .select('stream_created_at')
        .where('stream', '=', 'EVENTS')
        .forUpdate()
        .executeTakeFirst()
      if (known && Math.abs(Date.parse(known.stream_created_at) - Date.parse(created)) < 1) return
      await kyselyOf(em, RelayState)
        .insertInto('relay_state')
        .values({ stream: 'EVENTS', stream_created_at: created })
        .onConflict((conflict) => conflict.column('stream').doUpdateSet({ stream_created_at: created }))
        .execute()
      if (known)
        await publishAgain.execute(
          em,
          sql`with published as (delete from outbox_published where published_at > now() - interval '7 days' returning ids)
              insert into outbox_pending (id, payload_bytes)
              select o.id, octet_length(o.payload) from published, unnest(ids) as p (id) join outbox o on o.id = p.id
              on conflict do nothing`,
        )
    })
    seen = created
  }

  let mustCheckStream = true
  let checkedAt = 0
  let hasPublished = false
  let seen: string | undefined
  let delay = Promise.resolve()
  const relaying = repeat(service, 'relay-outbox', pollMs, async () => {
    if (mustCheckStream || performance.now() - checkedAt > checkStreamEveryMs) {
      await republishToNewStream()
      mustCheckStream = false
      checkedAt = performance.now()
    }
    await delay
    if (!hasPublished && !(await isAnyWaiting())) return
    hasPublished = false
    if (await relayOnce()) await allOf(Array.from({ length: lanes }, relayAll))
    delay = sleep(batchDelayMs, undefined, { ref: false })
  })
  db.onPublished(() => {
    hasPublished = true
    relaying.wake()
  })
  const purging = repeat(service, 'purge-events', purgeMs, () => purgeEvents(system))
  const watching = watchConnection(bus, () => {
    mustCheckStream = true
    relaying.wake()
  })
  return {
    async stop() {
      watching.stop()
      await Promise.all([relaying.stop(), purging.stop()])
    },
  }
}

/**
 * The events of one kind. Each column is one text, because a row for each event takes longer to read. The caller is the
 * workspace, empty or a UUID, and then the headers as JSON; equal callers are parsed once.
 */
function rowsOf({ event, ids, callers, times, payloads }: RowOf<typeof takenColumns>): OutboxRow[] {
  const parsed = new Map<string, Pick<OutboxRow, 'workspace_id' | 'headers'>>()
  const callerOf = (text: string) => {
    const known = parsed.get(text)
    if (known) return known
    const start = text.indexOf('{')
    const caller = {
      workspace_id: start === 0 ? null : text.slice(0, start),
      headers: JSON.parse(text.slice(start)) as EventHeaders,
    }
    parsed.set(text, caller)
    return caller
  }
  const [caller, time, data] = [callers.split('\n'), times.split(','), payloads.split(',')]
  return ids.split(',').map((id, index) => {
    const { workspace_id, headers } = callerOf(caller[index]!)
    return { id, event, workspace_id, headers, created_at: time[index]!, data: data[index]! }
  })
}

/** Waits for all of them, even if one fails. */
async function allOf(works: Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}

const bytesOf = (events: readonly OutboxRow[]) => events.reduce((sum, event) => sum + payloadBytes(event), 0)

/** Calls back after each reconnect. */
function watchConnection(bus: Bus, onReconnect: () => void) {
  let stopped = false
  const watch = async () => {
    for await (const status of bus.connection.status()) {
      if (stopped) return
      if (status.type === 'reconnect') onReconnect()
    }
  }
  void watch()
  return { stop: () => void (stopped = true) }
}
