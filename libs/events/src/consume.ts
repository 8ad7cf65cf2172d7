import type { DescMessage } from '@bufbuild/protobuf'
import { AckPolicy, DeliverPolicy, JetStreamApiError, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@lettergate/fault'
import type { Database } from '@lettergate/database'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { Caller, Part, Service } from '@lettergate/service'
import { read, receivedOf, type Delivery, type Received } from './arrival.ts'
import type { Bus } from './bus.ts'
import { counterOf, durationOf } from './consumer-metrics.ts'
import { metaOfRow, type DeadLetterRow } from './dead-letters/dead-letter-row.ts'
import { keepDeadLetter } from './dead-letters/keep-dead-letter.ts'
import { onReplayRequested } from './dead-letters/on-replay-requested.ts'
import { replayNext } from './dead-letters/replay-next.ts'
import { eventName, eventSubject, type EventMeta } from './message.ts'

export interface Consumer<S extends DescMessage, C> {
  /** `on-<event>`, also the durable's name */
  name: string
  /** the announcing service, or '*' */
  from: string
  event: S
  /** events handled together, default 1 */
  batch?: number
  /** Events of different lanes, numbered from 0, are handled at the same time; without it one batch follows the other. */
  lanes?: { count: number; of(event: Received<S>): number }
  /** All events are of one workspace, or of none. Returning acknowledges them. */
  handle(ctx: C, events: Received<S>[]): Promise<void>
}

/** Declares a consumer; the identity function that carries the types. */
export const consumer = <S extends DescMessage, C>(definition: Consumer<S, C>): Consumer<S, C> => definition

const attemptsMax = 10
const ackWaitMs = 30_000
const backoffMs = (attempt: number) => Math.min(60_000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2)

/** A refused event is refused every time; an outage is not the event's fault. */
const isFinal = (error: unknown) =>
  error instanceof Fault && error.code !== 'unavailable' && error.code !== 'resource_exhausted'

/**
 * Hears one kind of event, at least once each, across restarts and replicas. A handler that fails is given the event again
 * with growing delays; one that cannot be handled becomes a dead letter row and an alert, and is handled again when a person
 * asks for its replay. A failing batch is tried singly.
 */
export async function consume<S extends DescMessage, C>(
  service: Service,
  options: { bus: Bus; db: Database; consumer: Consumer<S, C>; ctxOf: (caller: Caller) => C },
): Promise<Part> {
  const { bus, db, ctxOf, consumer: definition } = options
  const batch = definition.batch ?? 1
  const durable = `${service.name}__${definition.name}`
  const filter = bus.subject(eventSubject(definition.from, eventName(definition.event)))
  const handled = counterOf(service)
  const duration = durationOf(service)
  let stopped = false
  let current: ConsumerMessages | undefined
  const queue: JsMsg[] = []
  /** what was read and is not yet settled, by lane */
  const lanes = Array.from({ length: definition.lanes?.count ?? 1 }, (): Delivery<S>[] => [])
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
      max_deliver: attemptsMax + 1,
      max_ack_pending: Math.max(64, batch * 4),
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

  async function keepOpen() {
    while (!stopped) {
      try {
        current = await open()
        if (stopped) await current.close()
        const reason = await current.closed()
        if (!stopped)
          service.log.warn(
            { consumer: definition.name, err: reason },
            'a consumer was closed by the server and is opened again',
          )
      } catch (error) {
        if (!stopped)
          service.log.warn(
            { consumer: definition.name, err: error },
            'a consumer could not be opened and will be tried again',
          )
      }
      if (!stopped) await sleep(500)
    }
  }

  const readAll = (message: JsMsg) =>
    read(message, {
      event: definition.event,
      consumer: definition.name,
      dropped: (error) => {
        service.log.error({ err: error, subject: message.subject }, 'an unreadable event was dropped')
        handled.inc({ consumer: definition.name, outcome: 'dropped' })
      },
    })

  async function handle(deliveries: Delivery<S>[]): Promise<void> {
    const [first, ...others] = deliveries
    if (!first) return
    const caller = callerOf(first.meta)
    const attributes = {
      'messaging.system': 'nats',
      'messaging.destination.name': filter,
      'messaging.consumer.group.name': durable,
      'messaging.batch.message_count': deliveries.length,
    }
    const started = performance.now()
    try {
      await traced(
        `process ${definition.name}`,
        {
          kind: SpanKind.CONSUMER,
          parent: first.meta.trace,
          links: others.map((other) => other.meta.trace),
          attributes,
        },
        () =>
          definition.handle(
            ctxOf(caller),
            deliveries.map((delivery) => delivery.event),
          ),
      )
      for (const delivery of deliveries) delivery.settle()
      handled.inc({ consumer: definition.name, outcome: 'handled' }, deliveries.length)
    } catch (error) {
      if (deliveries.length > 1 && !(error instanceof Fault && error.code === 'unavailable')) {
        for (const delivery of deliveries) await handle([delivery])
        return
      }
      for (const delivery of deliveries) await giveBack(delivery, error)
    } finally {
      duration.observe({ consumer: definition.name }, (performance.now() - started) / 1000)
    }
  }

  async function giveBack({ attempt, subject, meta, payload, ...delivery }: Delivery<S>, error: unknown) {
    if (!isFinal(error) && attempt < attemptsMax) {
      service.log.warn(
        { consumer: definition.name, err: error, attempt },
        'an event could not be handled and will be tried again',
      )
      handled.inc({ consumer: definition.name, outcome: 'retried' })
      delivery.giveBack(backoffMs(attempt))
      return
    }
    try {
      await keepDeadLetter(db, { consumer: definition.name, subject, meta, payload, attempts: attempt, error })
      service.log.error(
        { consumer: definition.name, err: error, event_id: meta.id },
        'an event could not be handled and is a dead letter',
      )
      handled.inc({ consumer: definition.name, outcome: 'dead' })
      delivery.settle()
    } catch (failure) {
      service.log.error(
        { consumer: definition.name, err: failure },
        'a dead letter could not be kept; the event comes back',
      )
      delivery.giveBack(backoffMs(attempt))
    }
  }

  const handOver = (letter: DeadLetterRow) => {
    const meta = metaOfRow(letter)
    const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': durable }
    return traced(`replay ${definition.name}`, { kind: SpanKind.CONSUMER, parent: meta.trace, attributes }, async () =>
      definition.handle(ctxOf(callerOf(meta)), [
        receivedOf({ event: definition.event, consumer: definition.name }, meta, letter.payload),
      ]),
    )
  }

  /** Every dead letter whose replay somebody asked for, one after the other. */
  async function replayAll() {
    while (!stopped) {
      const { letter, error } = await replayNext(db, definition.name, handOver)
      if (!letter) return
      const named = { consumer: definition.name, event_id: letter.event_id }
      if (error === undefined) service.log.info(named, 'a dead letter was replayed')
      else service.log.error({ ...named, err: error }, 'a dead letter was replayed and could not be handled again')
      handled.inc({ consumer: definition.name, outcome: error === undefined ? 'replayed' : 'dead' })
    }
  }

  /** Reads messages until a batch waits in this lane, or until there is no message more; one message can bring more, and for every lane. */
  function fill(lane: Delivery<S>[]) {
    let messages = 0
    while (messages < queue.length && lane.length < batch) {
      for (const delivery of readAll(queue[messages++]!))
        lanes[definition.lanes?.of(delivery.event) ?? 0]!.push(delivery)
    }
    if (messages === 0) return
    queue.splice(0, messages)
    if (lanes.length > 1) wake()
  }

  async function work(lane: Delivery<S>[]) {
    while (!stopped) {
      fill(lane)
      if (lane.length === 0) {
        await new Promise<void>((resolve) => waiting.push(resolve))
        continue
      }
      const taken = lane.slice(0, batch)
      const byWorkspace = Map.groupBy(taken, (delivery) => delivery.event.workspaceId)
      for (const group of byWorkspace.values()) {
        if (stopped) for (const delivery of group) delivery.giveBack(0)
        else await handle(group)
      }
      lane.splice(0, taken.length)
    }
    for (const delivery of lane.splice(0)) delivery.giveBack(0)
  }

  /** What waits here does not come again while this process lives: a message may have to wait for many before it. */
  function keepAll() {
    for (const message of queue) message.working()
    for (const keep of new Set(lanes.flat().map((delivery) => delivery.keep))) keep()
  }

  const keeping = setInterval(keepAll, ackWaitMs / 3)
  const opening = keepOpen()
  const working = Promise.all(lanes.map(work))
  const replaying = onReplayRequested(service, db, definition.name, replayAll)
  return {
    async stop() {
      stopped = true
      await replaying.stop()
      clearInterval(keeping)
      wake()
      await current?.close()
      await working
      await opening
      for (const message of queue.splice(0)) message.nak()
    },
  }
}

const callerOf = (meta: EventMeta): Caller => ({
  workspaceId: meta.workspaceId,
  organization: null,
  workspace: null,
  actor: meta.actor,
  actorKind: 'system',
  authMethod: null,
  role: null,
  platformRole: null,
  correlationId: meta.correlationId,
})
