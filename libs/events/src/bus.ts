import { AuthorizationError, PermissionViolationError, connect, type NatsConnection } from '@nats-io/transport-node'
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter } from 'prom-client'
import type { Part, Service } from '@lettergate/service'
import { authenticateUser } from './authenticate-user.ts'
import { inboxPrefix } from './broker-users.ts'

/** NATS with JetStream. It only transports events; the databases hold the state. */
export interface Bus extends Part {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  /** the subject in this stack's namespace, so that stacks can share a server */
  subject(name: string): string
  stream(name: string): string
  /** known only to this service; empty for a server without users */
  readonly secret: string
}

/** The configuration of a service's connection to the broker. */
export interface BusConfig {
  readonly natsUrl: string
  readonly natsNamespace: string
  /** the private key of the service's user; empty for a server without users */
  readonly natsNkeySeed: string
  /** the authority that signed the server's certificate; empty for a server without TLS */
  readonly natsCaFile: string
}

const reconnectMs = 250
const connectTimeoutMs = 5_000

/**
 * Connects as the service's own user, and waits for the server if it is not up yet. Throws if the server refuses the
 * credentials. Later refusals are logged and counted.
 */
export async function openBus(service: Service, config: BusConfig): Promise<Bus> {
  const connection = await connected(service, config)
  watchRefusals(service, connection)
  if (connection.info?.auth_required !== true)
    service.log.warn(
      'this NATS server has no users: any client can publish and read every event. Configure it with deploy/nats/nats-server.conf',
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
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await connect({
        servers: config.natsUrl.split(','),
        name: service.name,
        inboxPrefix: inboxPrefix(service.name),
        ...(config.natsNkeySeed === '' ? {} : { authenticator: authenticateUser(config.natsNkeySeed) }),
        ...(config.natsCaFile === '' ? {} : { tls: { caFile: config.natsCaFile } }),
        maxReconnectAttempts: -1,
        // If the server has the wrong users for a moment, the connection must not end for good.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: reconnectMs,
        // Without this, the client waits 20 s for a server that ends during the connection attempt.
        timeout: connectTimeoutMs,
        // Without this, every publish captures two stack traces, a third of its cost.
        noAsyncTraces: true,
      })
    } catch (error) {
      if (error instanceof AuthorizationError)
        throw new Error(
          `NATS refuses the user of ${service.name}: give NATS_NKEY_SEED the seed of the public key in the server's configuration`,
          { cause: error },
        )
      if (attempt % 40 === 0) service.log.warn({ err: error }, 'NATS cannot be reached; the connection will be retried')
      await sleep(reconnectMs)
    }
  }
}

/** The server reports a refused publish or subscribe asynchronously, so no other code sees the error. */
function watchRefusals(service: Service, connection: NatsConnection) {
  const name = 'lettergate_nats_refused_total'
  const refused =
    (service.metrics.getSingleMetric(name) as Counter | undefined) ??
    new Counter({
      name,
      help: 'Refusals by the NATS server, by operation; it refuses a connection of an unknown user',
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
          'NATS does not allow this subject for this service. Compare the configuration of its user with deploy/nats/nats-server.conf',
        )
      } else if (error instanceof AuthorizationError) {
        refused.inc({ operation: 'connection' })
        service.log.error({ err: error }, 'NATS refuses the user of this service; the connection will be retried')
      }
    }
  }
  void watch()
}
