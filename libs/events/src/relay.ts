import { setTimeout as sleep } from 'node:timers/promises'
import {
  arrayOf,
  column,
  columns,
  kyselyOf,
  listOf,
  nullable,
  prepared,
  sql,
  statement,
  type Database,
  type Em,
} from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { SpanKind, traced, carrier } from '@lettergate/service/tracing'
import { gauge, repeat, systemCaller, type Part, type Service } from '@lettergate/service'
import type { Bus } from './bus.ts'
import { messageId, toBatch, together } from './event-batch.ts'
import { eventSubject, toHeaders, type OutboxRow } from './message.ts'
import { OutboxEvent } from './outbox-event.entity.ts'
import { RelayState } from './relay-state.entity.ts'
import { purgeEvents } from './purge-events.ts'

const batchRows = 1_000
const batchBytes = 4_194_304
/** batches that one process publishes at the same time while there is much */
const lanes = 2
const pollMs = 2_000
const restMs = 25
const purgeMs = 600_000
const lookEveryMs = 10_000

const selectAge = statement('select-oldest-pending-age', { age: nullable(column.double()) })
const eventColumns = columns(OutboxEvent)
const takePending = statement('take-pending-events', eventColumns)
const eventList = listOf(eventColumns)
const insertPublished = statement('insert-published-events')
const publishAgain = statement('publish-events-again')

/**
 * Publishes committed outbox rows: at once after a commit of this process, and by a poll every 2 s whatever happens. Between
 * two goes lie 25 ms, so that under load one takes many rows; while many wait, two go at the same time. A row waits no more only
 * after JetStream acknowledged it, and JetStream drops what is published twice within two minutes. When the stream turns out to be a new one (the server lost its store, or
 * somebody deleted it), the last seven days are published again and the inboxes drop what they know. That is looked at after
 * every failure and reconnect, and every 10 s.
 */
export async function relayOutbox(service: Service, db: Database, bus: Bus): Promise<Part> {
  const system = <T>(work: (em: Em) => Promise<T>) =>
    transaction(
      db,
      { caller: systemCaller('relay-outbox', 'relay-outbox'), workspaceId: null, system: 'relay-outbox' },
      work,
    )

  gauge(service, {
    name: 'lettergate_outbox_oldest_seconds',
    help: 'Age of the oldest event that is committed and not yet published',
    async read() {
      const found = await system((em) =>
        selectAge.row(em, sql`select extract(epoch from now() - min(waits_since))::float8 as age from outbox_pending`),
      )
      return found!.age ?? 0
    },
  })

  /** One message for these rows. Answers the ids of those that the stream has. */
  async function send(events: OutboxRow[]): Promise<string[]> {
    const [first, ...others] = events as [OutboxRow, ...OutboxRow[]]
    const subject = bus.subject(eventSubject(service.name, first.event))
    const attributes = {
      'messaging.system': 'nats',
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
        return bus.js.publish(subject, first.payload, {
          msgID: messageId(events, bus.secret),
          headers: toHeaders(service.name, onward),
        })
      })
      return events.map(({ id }) => id)
    } catch (error) {
      service.log.warn({ err: error, event: first.event }, 'events could not be published and will be tried again')
      return []
    }
  }

  /** Publishes the events that wait the longest, and answers whether others may wait. They wait on when any of them fails. */
  async function relayOnce(): Promise<boolean> {
    return system(async (em) => {
      const waiting = await takePending.rows(
        em,
        prepared(sql`with waiting as (
            select tid, sum(payload_bytes) over (order by id) - payload_bytes as bytes_before from (
              select ctid as tid, id, payload_bytes from outbox_pending order by id limit ${batchRows} for update skip locked) w),
          taken as (
            delete from outbox_pending where ctid = any(array(select tid from waiting where bytes_before < ${batchBytes})) returning id)
          select ${eventList} from outbox where id = any(array(select id from taken)) order by id`),
      )
      if (waiting.length === 0) return false
      const sent = (await Promise.all(together(waiting).map(send))).flat()
      if (sent.length < waiting.length)
        throw new Error(`${waiting.length - sent.length} of ${waiting.length} events are waiting for NATS`)
      await insertPublished.execute(
        em,
        prepared(sql`insert into outbox_published (ids) values (${arrayOf(sent)}::uuid[])`),
      )
      return sent.length === batchRows || bytesOf(waiting) >= batchBytes
    }).catch((error: unknown) => {
      unchecked = true
      throw error
    })
  }

  async function relayAll() {
    while (await relayOnce());
  }

  async function noticeNewStream() {
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

  let unchecked = true
  let lookedAt = 0
  let seen: string | undefined
  let rested = Promise.resolve()
  const relaying = repeat(service, 'relay-outbox', pollMs, async () => {
    if (unchecked || performance.now() - lookedAt > lookEveryMs) {
      await noticeNewStream()
      unchecked = false
      lookedAt = performance.now()
    }
    await rested
    if (await relayOnce()) await allOf(Array.from({ length: lanes }, relayAll))
    rested = sleep(restMs, undefined, { ref: false })
  })
  db.onPublished(() => relaying.wake())
  const purging = repeat(service, 'purge-events', purgeMs, () => purgeEvents(system))
  const watching = watchConnection(bus, () => {
    unchecked = true
    relaying.wake()
  })
  return {
    async stop() {
      watching.stop()
      await Promise.all([relaying.stop(), purging.stop()])
    },
  }
}

/** Waits for all of them, also when one fails. */
async function allOf(works: Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}

const bytesOf = (events: readonly OutboxRow[]) => events.reduce((sum, { payload }) => sum + payload.length, 0)

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
