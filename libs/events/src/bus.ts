import { connect, type NatsConnection } from '@nats-io/transport-node'
import {
  JetStreamApiError,
  RetentionPolicy,
  jetstream,
  jetstreamManager,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream'
import type { Part, Service } from '@lettergate/service'

/** NATS with JetStream: the wire, never the truth. */
export interface Bus extends Part {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  /** the subject under this stack's namespace, so that stacks can share a server */
  subject(name: string): string
  stream(name: string): string
  /** Makes the stream, or brings its configuration up to date. Safe from every replica at once. */
  ensureStream(name: string, config: Partial<StreamConfig>): Promise<void>
}

const dayNs = 24 * 3600 * 1e9
const notFound = 10059
const nameInUse = 10058

/** Connects, waiting for the server if need be, and makes the EVENTS stream (file storage, 7 days). */
export async function openBus(service: Service, options: { url: string; namespace: string }): Promise<Bus> {
  const connection = await connect({
    servers: options.url.split(','),
    name: service.name,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 250,
    // Otherwise every publish makes two errors with their stacks, in case it fails: a third of what it costs.
    noAsyncTraces: true,
  })
  const js = jetstream(connection, { timeout: 5_000 })
  const jsm = await jetstreamManager(connection, { checkAPI: false })
  const { namespace } = options
  const subject = (name: string) => (namespace ? `${namespace}.${name}` : name)
  const stream = (name: string) => (namespace ? `${namespace}_${name}` : name)

  async function ensureStream(name: string, config: Partial<StreamConfig>) {
    const full = { name: stream(name), ...config }
    try {
      await jsm.streams.info(full.name)
      await jsm.streams.update(full.name, full)
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== notFound) throw error
      await jsm.streams.add(full).catch((again: unknown) => {
        if (!(again instanceof JetStreamApiError) || again.code !== nameInUse) throw again
      })
    }
  }

  const bus: Bus = {
    connection,
    js,
    jsm,
    subject,
    stream,
    ensureStream,
    async stop() {
      await connection.drain().catch(() => connection.close())
    },
  }
  await ensureEvents(bus)
  service.readiness('nats', () => connection.flush())
  return bus
}

/** The stream of all facts; remade when the server lost it. */
export const ensureEvents = (bus: Bus): Promise<void> =>
  bus.ensureStream('EVENTS', {
    subjects: [bus.subject('events.>')],
    retention: RetentionPolicy.Limits,
    max_age: 7 * dayNs,
    duplicate_window: 120e9,
  })
