import { AuthorizationError, PermissionViolationError, connect, type NatsConnection } from '@nats-io/transport-node'
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter } from 'prom-client'
import type { Part, Service } from '@lettergate/service'
import { authenticateUser } from './authenticate-user.ts'
import { inboxPrefix } from './broker-users.ts'

/** NATS with JetStream: the wire, never the truth. */
export interface Bus extends Part {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  /** the subject under this stack's namespace, so that stacks can share a server */
  subject(name: string): string
  stream(name: string): string
  /** known to this service alone; empty at a server without users */
  readonly secret: string
}

/** The part of a service's configuration that leads to the broker. */
export interface BusConfig {
  readonly natsUrl: string
  readonly natsNamespace: string
  /** the private key of the service's user; empty at a server without users */
  readonly natsNkeySeed: string
  /** the authority that signed the server's certificate; empty where the server is without TLS */
  readonly natsCaFile: string
}

const reconnectMs = 250
const dialMs = 5_000

/**
 * Connects as the service's own user, waiting for the server if need be; credentials that the server refuses are an error.
 * Whatever it refuses later is logged and counted.
 */
export async function openBus(service: Service, config: BusConfig): Promise<Bus> {
  const connection = await connected(service, config)
  watchRefusals(service, connection)
  if (connection.info?.auth_required !== true)
    service.log.warn(
      'this NATS server has no users: whoever reaches it can publish any event and read them all. Configure it with deploy/nats/nats-server.conf',
    )
  const js = jetstream(connection, { timeout: 5_000 })
  const jsm = await jetstreamManager(connection, { checkAPI: false })
  const { natsNamespace: namespace } = config
  service.readiness('nats', () => connection.flush())
  return {
    connection,
    js,
    jsm,
    subject: (name) => (namespace ? `${namespace}.${name}` : name),
    stream: (name) => (namespace ? `${namespace}_${name}` : name),
    secret: config.natsNkeySeed,
    async stop() {
      await connection.drain().catch(() => connection.close())
    },
  }
}

async function connected(service: Service, config: BusConfig): Promise<NatsConnection> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await connect({
        servers: config.natsUrl.split(','),
        name: service.name,
        inboxPrefix: inboxPrefix(service.name),
        ...(config.natsNkeySeed === '' ? {} : { authenticator: authenticateUser(config.natsNkeySeed) }),
        ...(config.natsCaFile === '' ? {} : { tls: { caFile: config.natsCaFile } }),
        maxReconnectAttempts: -1,
        // A server that is started with the wrong users for a moment must not end the connection for good.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: reconnectMs,
        // A server that ends while it is dialled is otherwise waited for 20 s.
        timeout: dialMs,
        // Otherwise every publish makes two errors with their stacks, in case it fails: a third of what it costs.
        noAsyncTraces: true,
      })
    } catch (error) {
      if (error instanceof AuthorizationError)
        throw new Error(
          `NATS refuses the user of ${service.name}: give NATS_NKEY_SEED the seed of the public key in the server's configuration`,
          { cause: error },
        )
      if (tries % 40 === 0) service.log.warn({ err: error }, 'NATS cannot be reached and will be tried again')
      await sleep(reconnectMs)
    }
  }
}

/** The server tells of a publish or subscribe that it refuses beside the answers, so that nobody else hears of it. */
function watchRefusals(service: Service, connection: NatsConnection) {
  const name = 'lettergate_nats_refused_total'
  const refused =
    (service.metrics.getSingleMetric(name) as Counter | undefined) ??
    new Counter({
      name,
      help: 'What the NATS server refused this service, by operation; a connection is refused when it does not know the user',
      labelNames: ['operation'],
      registers: [service.metrics],
    })
  const watch = async () => {
    for await (const status of connection.status()) {
      if (status.type !== 'error') continue
      const { error } = status
      if (error instanceof PermissionViolationError) {
        refused.inc({ operation: error.operation })
        service.log.error(
          { err: error, subject: error.subject },
          'NATS does not allow this service that subject; is its user configured as deploy/nats/nats-server.conf says?',
        )
      } else if (error instanceof AuthorizationError) {
        refused.inc({ operation: 'connection' })
        service.log.error({ err: error }, 'NATS refuses the user of this service now; trying again')
      }
    }
  }
  void watch()
}
