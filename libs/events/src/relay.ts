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
  uuidsOf,
  type RowOf,
} from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { SpanKind, carrier, isTracing, traced } from '@lettergate/service/tracing'
import { gauge, repeat, systemCaller, type Part, type Service } from '@lettergate/service'
import type { Bus } from './bus.ts'
import { groupForMessages, groupsOf, messageId, toMessage, tracedEvents, type WaitingGroup } from './event-batch.ts'
import { eventSubject } from './message.ts'
import { OutboxEvent } from './outbox-event.entity.ts'
import { insertWaiting } from './publish.ts'
import { RelayState } from './relay-state.entity.ts'
import { purgeEvents } from './purge-events.ts'

const batchEvents = 3_000
const batchBytes = 4_194_304
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
  event: column.text(),
  type: column.text(),
  ids: column.text(),
  times: column.text(),
  counts: column.text(),
  sizes: column.text(),
  texts: column.text(),
}
const takePending = statement('take-pending-events', takenColumns)
const takePublished = statement('take-published-events', {
  ids: nullable(column.text()),
  published_at: nullable(column.text()),
})
const selectPublished = statement('select-published-events', {
  ...columns(OutboxEvent, 'id', 'event', 'workspace_id', 'headers', 'created_at'),
  data: column.text(),
})

/**
 * Publishes committed outbox rows, directly after a commit of this process and by a poll every 2 s. Batches start at least 50 ms
 * apart, so that one batch takes many events under load. They stay pending until JetStream acknowledges them. JetStream drops
 * duplicates within two minutes. If the stream is a new one (the server lost its store, or the stream was deleted), the events
 * of the last seven days are published again, and the inboxes skip the handled ones. The relay checks for a new stream after
 * every failure and reconnect, and every 10 s. While an event has waited for more than five minutes, the condition `outbox` of
 * the service does not hold; the gateway asks for it, and raises the alert.
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

  /** Publishes these groups as one message. Answers how many events the stream has stored. */
  async function send(groups: WaitingGroup[]): Promise<number> {
    const { event } = groups[0]!
    const events = eventsIn(groups)
    const subject = bus.subject(eventSubject(service.name, event))
    const [first, ...others] = isTracing() ? tracedEvents(groups) : []
    const attributes = {
      'messaging.system.name': 'nats',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.name': subject,
      ...(others.length === 0 ? { 'messaging.message.id': first?.id } : { 'messaging.batch.message_count': events }),
    }
    const links = others.map(({ trace }) => trace)
    try {
      await traced(`send ${event}`, { kind: SpanKind.PRODUCER, parent: first?.trace, links, attributes }, () => {
        const { headers, data } = toMessage(service.name, groups, carrier())
        return bus.js.publish(subject, data, { msgID: messageId(groups, bus.secret), headers })
      })
      return events
    } catch (error) {
      service.log.warn({ err: error, event }, 'events could not be published; they will be retried')
      return 0
    }
  }

  /** Publishes the oldest pending events, and answers whether more may be pending. If one fails, all of the batch stay pending. */
  async function relayOnce(): Promise<boolean> {
    return transaction(db, { ...scope, idleTransactionMs: publishMsMax }, async (em) => {
      const taken = await takePending.rows(
        em,
        prepared(sql`with waiting as (
            select tid, sum(event_count) over earlier - event_count as events_before, sum(payload_bytes) over earlier - payload_bytes as bytes_before from (
              select ctid as tid, id, event_count, payload_bytes from outbox_pending order by id limit ${batchEvents} for update skip locked) w
            window earlier as (order by id)),
          taken as (
            delete from outbox_pending where ctid = any(array(select tid from waiting where events_before < ${batchEvents} and bytes_before < ${batchBytes}))
            returning id, event, type, ids, event_count, payload_bytes, events, created_at),
          published as (insert into outbox_published (ids) select array_agg(one) from taken, unnest(ids) as one having count(*) > 0)
          select event, type, string_agg(id::text, ',') as ids, string_agg(created_at::text, ',') as times, string_agg(event_count::text, ',') as counts,
                 string_agg(payload_bytes::text, ',') as sizes, string_agg(events, E'\\n') as texts
            from (select * from taken order by id) as ordered group by event, type`),
      )
      const waiting = taken.flatMap(groupsIn)
      if (waiting.length === 0) return false
      const sent = (await Promise.all(groupForMessages(waiting).map(send))).reduce((sum, events) => sum + events, 0)
      const events = eventsIn(waiting)
      if (sent < events) throw new Error(`${events - sent} of ${events} events are waiting for NATS`)
      return events >= batchEvents || waiting.reduce((sum, { payloadBytes }) => sum + payloadBytes, 0) >= batchBytes
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
      if (!known) return
      let from: string | null = '-infinity'
      while (from !== null) from = await publishAgain(em, from)
    })
    seen = created
  }

  /** Lets some of the events wait again that were published since this time. Answers when the last of them was, or null without any. */
  async function publishAgain(em: Em, from: string): Promise<string | null> {
    const taken = await takePublished.row(
      em,
      sql`with oldest as (
            select tid, sum(count) over (order by published_at, tid) - count as before from (
              select ctid as tid, published_at, cardinality(ids) as count from outbox_published
               where published_at >= greatest(${from}::timestamptz, now() - interval '7 days') order by published_at limit ${batchEvents}) o),
          taken as (
            delete from outbox_published where ctid = any(array(select tid from oldest where before < ${batchEvents}))
            returning published_at, ids)
          select string_agg(id::text, ',') as ids, max(published_at)::text as published_at from taken, unnest(ids) as id`,
    )
    const rows = await selectPublished.rows(
      em,
      sql`select id, event, workspace_id, headers, created_at, translate(encode(payload, 'base64'), E'\\n', '') as data
            from outbox where id = any(${uuidsOf(taken?.ids?.split(',') ?? [])}::uuid[]) order by id`,
    )
    const kindAndTime = ({ event, headers, created_at }: (typeof rows)[number]) =>
      [event, headers.type, created_at].join()
    for (const ofTransaction of Map.groupBy(rows, kindAndTime).values()) {
      const { event, headers, created_at: createdAt } = ofTransaction[0]!
      for (const group of groupsOf(ofTransaction))
        await insertWaiting(em, { event, type: headers.type, createdAt }, group)
    }
    return taken?.published_at ?? null
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
    while (await relayOnce());
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

/** The groups of one kind. Each column is one text, because a row for each group takes longer to read. */
function groupsIn({ event, type, ids, times, counts, sizes, texts }: RowOf<typeof takenColumns>): WaitingGroup[] {
  const [time, count, size, text] = [times.split(','), counts.split(','), sizes.split(','), texts.split('\n')]
  return ids.split(',').map((id, index) => ({
    id,
    event,
    type,
    time: new Date(time[index]!).toISOString(),
    events: Number(count[index]),
    payloadBytes: Number(size[index]),
    text: text[index]!,
  }))
}

const eventsIn = (groups: readonly WaitingGroup[]) => groups.reduce((sum, { events }) => sum + events, 0)

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
