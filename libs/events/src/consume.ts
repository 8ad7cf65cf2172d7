import type { DescMessage } from '@bufbuild/protobuf'
import { AckPolicy, DeliverPolicy, JetStreamApiError, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, isOutage } from '@lettergate/fault'
import type { Database } from '@lettergate/database'
import { SpanKind, traced } from '@lettergate/service/tracing'
import { repeat, type Caller, type Part, type Service } from '@lettergate/service'
import { callerOf, read, receivedOf, type EventDelivery, type Received } from './arrival.ts'
import type { Bus } from './bus.ts'
import { batchDuration, eventCounter, reportLag } from './consumer-metrics.ts'
import { metaOfRow, type DeadLetterRow } from './dead-letters/dead-letter-row.ts'
import { storeDeadLetter } from './dead-letters/store-dead-letter.ts'
import { onReplayRequested } from './dead-letters/on-replay-requested.ts'
import { replayNext } from './dead-letters/replay-next.ts'
import { eventName, eventSubject, type EventMeta } from './message.ts'
import { lateEvents } from './raise-late.ts'
import { raiseWaiting } from './raise-waiting.ts'
import { takeShares } from './take-shares.ts'

export interface Consumer<S extends DescMessage, C> {
  /** `on-<event>`; also part of the durable name */
  name: string
  /** the publishing service, or '*' */
  from: string
  event: S
  /** events handled together, default 1 */
  batch?: number
  /**
   * Events of different lanes (numbered from 0) are handled concurrently. Without lanes, batches run one after another. The
   * events of a message with fewer than `eventsMin` are handled together in a lane that is idle, because a transaction for
   * each lane would cost more than it saves. Default 1: each event is in the lane that `of` returns.
   */
  lanes?: { count: number; eventsMin?: number; of(event: Received<S>): number }
  /** Each batch has an equal share for each workspace that waits, so that one with many events delays no other. Not with lanes. */
  takesTurns?: boolean
  /** All events belong to the same workspace, or to none. They are acknowledged when the function returns. */
  handle(ctx: C, events: Received<S>[]): Promise<void>
}

/** Declares a consumer. It returns its argument and infers the types. */
export const consumer = <S extends DescMessage, C>(definition: Consumer<S, C>): Consumer<S, C> => definition

const attemptsMax = 10
const ackWaitMs = 30_000
/** How many messages and events are read ahead, to find the workspaces that wait. */
const [messagesAhead, eventsAhead] = [2_000, 10_000]
const backoffMs = (attempt: number) => Math.min(60_000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2)

/** A refused event would be refused again, so it is not retried. */
const isFinal = (error: unknown) => error instanceof Fault && error.code !== 'resource_exhausted' && !isOutage(error)

/**
 * Consumes one kind of event, each at least once, across restarts and replicas. A failed event is retried with growing
 * delays: ten times, or without limit while its handler throws Fault `unavailable`, with an alert after the tenth time. Another
 * event that cannot be handled becomes a dead letter and raises an alert; a person can request its replay. The events of a
 * failed batch are retried one by one.
 */
export async function consume<S extends DescMessage, C>(
  service: Service,
  options: { bus: Bus; db: Database; consumer: Consumer<S, C>; ctxOf: (caller: Caller) => C },
): Promise<Part> {
  const { bus, db, ctxOf, consumer: definition } = options
  const batch = definition.batch ?? 1
  const eventsMin = definition.lanes?.eventsMin ?? 1
  const durable = `${service.name}__${definition.name}`
  const processing = {
    'messaging.system.name': 'nats',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': durable,
  }
  const filter = bus.subject(eventSubject(definition.from, eventName(definition.event)))
  const handled = eventCounter(service)
  const duration = batchDuration(service)
  reportLag(service, definition.name, async () => {
    const { num_pending: waiting, num_ack_pending: taken } = await bus.jsm.consumers.info(bus.stream('EVENTS'), durable)
    return waiting + taken
  })
  const raiseIfLate = lateEvents(db, service.log, definition.name)
  let stopped = false
  let current: ConsumerMessages | undefined
  const queue: JsMsg[] = []
  /** events that were read and are not settled yet, by lane */
  const lanes = Array.from({ length: definition.lanes?.count ?? 1 }, (): EventDelivery<S>[] => [])
  let waiting: (() => void)[] = []
  const wake = () => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }

  async function open() {
    const config = {
      durable_name: durable,
      filter_subject: filter,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: ackWaitMs * 1e6,
      // How often an event is retried depends on its error.
      max_deliver: -1,
      max_ack_pending: definition.takesTurns ? messagesAhead : Math.max(64, batch * 4),
    }
    try {
      await bus.jsm.consumers.info(bus.stream('EVENTS'), durable)
      await bus.jsm.consumers.update(bus.stream('EVENTS'), durable, config)
    } catch (error) {
      if (!(error instanceof JetStreamApiError)) throw error
      await bus.jsm.consumers.add(bus.stream('EVENTS'), config)
    }
    const source = await bus.js.consumers.get(bus.stream('EVENTS'), durable)
    return source.consume({
      max_messages: Math.max(64, batch),
      abort_on_missing_resource: true,
      callback: (message) => {
        queue.push(message)
        wake()
      },
    })
  }

  async function reopenUntilStopped() {
    while (!stopped) {
      try {
        current = await open()
        if (stopped) await current.close()
        const reason = await current.closed()
        if (!stopped)
          service.log.warn(
            { consumer: definition.name, err: reason },
            'the server closed a consumer; it will be opened again',
          )
      } catch (error) {
        if (!stopped)
          service.log.warn(
            { consumer: definition.name, err: error },
            'a consumer could not be opened; it will be retried',
          )
      }
      if (!stopped) await sleep(500)
    }
  }

  const readEvents = (message: JsMsg) =>
    read(message, {
      event: definition.event,
      consumer: definition.name,
      dropped: (error) => {
        service.log.error({ err: error, subject: message.subject }, 'an unreadable event was dropped')
        handled.inc({ consumer: definition.name, outcome: 'dropped' })
      },
    })

  /** An event in a log line. */
  const named = ({ id, workspaceId, correlationId }: EventMeta) => ({
    consumer: definition.name,
    event_id: id,
    workspace_id: workspaceId,
    correlation_id: correlationId,
  })

  async function handle(deliveries: EventDelivery<S>[]): Promise<void> {
    const [first, ...others] = deliveries
    if (!first) return
    const caller = callerOf(first.event)
    const attributes = {
      ...processing,
      'messaging.destination.name': filter,
      'messaging.batch.message_count': deliveries.length,
    }
    const started = performance.now()
    try {
      await traced(
        `process ${definition.name}`,
        {
          kind: SpanKind.CONSUMER,
          parent: first.event.trace,
          links: others.map((other) => other.event.trace),
          attributes,
        },
        () =>
          definition.handle(
            ctxOf(caller),
            deliveries.map((delivery) => delivery.event),
          ),
      )
      for (const { message } of deliveries) message.settle()
      handled.inc({ consumer: definition.name, outcome: 'handled' }, deliveries.length)
      const oldestMs = Math.min(...deliveries.map(({ event }) => event.time.getTime()))
      await raiseIfLate(new Date(oldestMs), service.now())
    } catch (error) {
      if (deliveries.length > 1 && !isOutage(error)) {
        for (const delivery of deliveries) await handle([delivery])
        return
      }
      for (const delivery of deliveries) await retryOrStoreDeadLetter(delivery, error)
      if (isOutage(error) && deliveries.some(({ message }) => message.attempt % attemptsMax === 0))
        await raiseWaiting(db, service.log, { consumer: definition.name, error })
    } finally {
      duration.observe({ consumer: definition.name }, (performance.now() - started) / 1000)
    }
  }

  async function retryOrStoreDeadLetter({ event: meta, payload, message }: EventDelivery<S>, error: unknown) {
    const { attempt, subject } = message
    if (isOutage(error) || (!isFinal(error) && attempt < attemptsMax)) {
      service.log.warn({ ...named(meta), err: error, attempt }, 'an event could not be handled; it will be retried')
      handled.inc({ consumer: definition.name, outcome: attempt < attemptsMax ? 'retried' : 'waiting' })
      message.retry(backoffMs(attempt))
      return
    }
    try {
      await storeDeadLetter(db, { consumer: definition.name, subject, meta, payload, attempts: attempt, error })
      service.log.error({ ...named(meta), err: error }, 'an event could not be handled and is a dead letter')
      handled.inc({ consumer: definition.name, outcome: 'dead' })
      message.settle()
    } catch (failure) {
      const about = { ...named(meta), err: failure }
      service.log.error(about, 'a dead letter could not be stored; the event will be delivered again')
      message.retry(backoffMs(attempt))
    }
  }

  const replayOne = (deadLetter: DeadLetterRow) => {
    const meta = metaOfRow(deadLetter)
    const span = { kind: SpanKind.CONSUMER, parent: meta.trace, attributes: processing }
    return traced(`replay ${definition.name}`, span, async () =>
      definition.handle(ctxOf(callerOf(meta)), [
        receivedOf({ event: definition.event, consumer: definition.name }, meta, deadLetter.payload),
      ]),
    )
  }

  /** Replays the requested dead letters one after another. */
  async function replayAll() {
    while (!stopped) {
      const { deadLetter, error } = await replayNext(db, definition.name, replayOne)
      if (!deadLetter) return
      const about = named(metaOfRow(deadLetter))
      if (error === undefined) service.log.info(about, 'a dead letter was replayed')
      else service.log.error({ ...about, err: error }, 'a dead letter was replayed and could not be handled again')
      handled.inc({ consumer: definition.name, outcome: error === undefined ? 'replayed' : 'dead' })
    }
  }

  /** Reads messages until this lane has enough for a batch or the queue is empty. A large message can hold events for every lane. */
  function fill(lane: EventDelivery<S>[]) {
    let messages = 0
    while (messages < queue.length && lane.length < (definition.takesTurns ? eventsAhead : batch)) {
      const deliveries = readEvents(queue[messages++]!)
      if (deliveries.length < eventsMin) lane.push(...deliveries)
      else for (const delivery of deliveries) lanes[definition.lanes?.of(delivery.event) ?? 0]!.push(delivery)
    }
    if (messages === 0) return
    queue.splice(0, messages)
    if (lanes.length > 1) wake()
  }

  async function work(lane: EventDelivery<S>[]) {
    while (!stopped) {
      fill(lane)
      if (lane.length === 0) {
        await new Promise<void>((resolve) => waiting.push(resolve))
        continue
      }
      const taken = definition.takesTurns ? takeShares(lane, batch) : lane.slice(0, batch)
      const byWorkspace = Map.groupBy(taken, (delivery) => delivery.event.workspaceId)
      for (const group of byWorkspace.values()) {
        if (stopped) for (const { message } of group) message.retry(0)
        else await handle(group)
      }
      lane.splice(0, taken.length)
    }
    for (const { message } of lane.splice(0)) message.retry(0)
  }

  /** Marks all waiting messages as in progress, so that the server does not deliver them again. */
  async function markAllInProgress() {
    for (const message of queue) message.working()
    for (const message of new Set(lanes.flat().map((delivery) => delivery.message))) message.markInProgress()
  }

  const marking = repeat(service, 'mark-events-in-progress', ackWaitMs / 3, markAllInProgress)
  const consuming = reopenUntilStopped()
  const working = Promise.all(lanes.map(work))
  const replaying = onReplayRequested(service, db, definition.name, replayAll)
  return {
    async stop() {
      stopped = true
      await replaying.stop()
      await marking.stop()
      wake()
      await current?.close()
      await working
      await consuming
      for (const message of queue.splice(0)) message.nak()
    },
  }
}
