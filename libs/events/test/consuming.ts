import { create, toBinary } from '@bufbuild/protobuf'
import { JetStreamApiError, type JsMsg } from '@nats-io/jetstream'
import { afterEach, beforeEach, jest } from '@jest/globals'
import { GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Database } from '@lettergate/database'
import { createService, type Caller, type Service } from '@lettergate/service'
import type { Received } from '../src/arrival.ts'
import type { Bus } from '../src/bus.ts'
import { consume, consumer, type Consumer } from '../src/consume.ts'
import { messageOf, type OutboxRow } from './message-of.ts'

type Handle = Consumer<typeof GateChangedSchema, Caller>['handle']
type Told = 'ack' | 'term' | 'working' | { againAfterMs: number }

const fakeClock = () => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] })
/** The service of the test that runs. */
export let service: Service
beforeEach(() => {
  fakeClock()
  service = createService('ledger', { logLevel: 'silent' })
})
afterEach(async () => {
  const stopped = service.stop()
  await jest.advanceTimersByTimeAsync(1_000)
  await stopped
  jest.restoreAllMocks()
  jest.useRealTimers()
})

export async function settled(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

export const rowOf = (name: string, workspaceId: string | null = null): OutboxRow => ({
  id: newId(),
  event: 'gate_changed',
  workspace_id: workspaceId,
  data: Buffer.from(toBinary(GateChangedSchema, create(GateChangedSchema, { name }))).toString('base64'),
  headers: { type: GateChangedSchema.typeName, correlationId: `c-${name}`, actor: 'tester', trace: {} },
  created_at: '2026-01-02T03:04:05.678Z',
})

/** A database that cannot be reached, so that no dead letter can be stored. */
const unreachable = {
  fork: () => {
    throw new Error('the database is away')
  },
} as unknown as Database

interface Source {
  config: Record<string, unknown>
  deliver(message: JsMsg): void
  close(reason?: Error): void
}

/** A consumer on a broker in memory. */
export async function consuming(
  handle: Handle,
  more: Partial<Pick<Consumer<typeof GateChangedSchema, Caller>, 'batch' | 'lanes' | 'takesTurns'>> = {},
) {
  const sources: Source[] = []
  const durables: Record<string, unknown>[] = []
  let isKnown = false
  const missing = () => {
    const error = Object.create(JetStreamApiError.prototype) as JetStreamApiError
    return Promise.reject(error)
  }
  const bus = {
    subject: (name: string) => `t1.${name}`,
    stream: (name: string) => `t1_${name}`,
    jsm: {
      consumers: {
        info: () => (isKnown ? Promise.resolve({}) : missing()),
        update: (_: string, name: string, config: object) => Promise.resolve(durables.push({ name, ...config })),
        add: (_: string, config: object) => {
          isKnown = true
          return Promise.resolve(durables.push({ ...config }))
        },
      },
    },
    js: {
      consumers: {
        get: () =>
          Promise.resolve({
            consume(config: { callback: (message: JsMsg) => void }) {
              const { promise, resolve } = Promise.withResolvers<undefined | Error>()
              sources.push({ config: config as never, deliver: config.callback, close: resolve })
              return Promise.resolve({ closed: () => promise, close: async () => resolve(undefined) })
            },
          }),
      },
    },
  }
  const callers: Caller[] = []
  const part = await consume(service, {
    bus: bus as unknown as Bus,
    db: unreachable,
    consumer: consumer({ name: 'on-gate-changed', from: 'ledger', event: GateChangedSchema, handle, ...more }),
    ctxOf(caller) {
      callers.push(caller)
      return caller
    },
  })
  let isStopped = false
  const stop = () => {
    isStopped = true
    return part.stop()
  }
  await service.use({ stop: async () => (isStopped ? undefined : stop()) })
  await settled()
  /** Delivers these events in one message, and answers what the server was told about it. */
  const deliver = (rows: readonly OutboxRow[], attempt = 1): Told[] => {
    const told: Told[] = []
    const { headers, data } = messageOf('ledger', rows)
    sources.at(-1)!.deliver({
      headers,
      data,
      subject: 't1.events.ledger.gate_changed',
      info: { deliveryCount: attempt },
      ack: () => void told.push('ack'),
      nak: (againAfterMs = 0) => void told.push({ againAfterMs }),
      term: () => void told.push('term'),
      working: () => void told.push('working'),
    } as unknown as JsMsg)
    return told
  }
  return { deliver, sources, durables, callers, stop }
}

export const namesOf = (events: readonly Received<typeof GateChangedSchema>[]) => events.map(({ data }) => data.name)
export const outcomes = async () => {
  const { values } = await service.metrics.getSingleMetric('lettergate_events_handled_total')!.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels['outcome'], value]))
}
