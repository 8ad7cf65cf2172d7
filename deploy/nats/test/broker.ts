import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepStreams, openBus, type Bus, type BusConfig } from '@lettergate/events'
import { publicKeyOf } from '@lettergate/events/broker-keys'
import { inboxPrefix } from '@lettergate/events/broker-users'
import { createService, type Service } from '@lettergate/service'
import { makeSeeds } from '@lettergate/stage/broker'
import { startNats } from '@lettergate/stage/nats'
import { keyVariable, streamKeeper } from '../src/users.ts'

export interface Broker {
  readonly pid: number
  /** The connection options of that user. */
  config(user: string): BusConfig
  /** A plain connection as that user, for requests that no service would send. */
  as(user: string): Promise<NatsConnection>
  /** The bus of a service, as the service opens it. */
  bus(name: string): Promise<Bus & { service: Service; logged: Record<string, unknown>[] }>
  /** Stops the server and starts it with an empty store. */
  loseStore(): Promise<void>
  /** Changes the configuration of the server while it runs, as `nats-server --signal reload` does. */
  reload(change: (config: string) => string): void
  close(): Promise<void>
}

const configFile = new URL('../nats-server.conf', import.meta.url).pathname

/** nats-server with the production configuration, new keys, and the process that maintains the streams. */
export async function openBroker(): Promise<Broker> {
  const seeds = makeSeeds()
  const keys = Object.fromEntries(Object.entries(seeds).map(([name, seed]) => [keyVariable(name), publicKeyOf(seed)]))
  const directory = mkdtempSync(join(tmpdir(), 'lettergate-broker-'))
  const stops: (() => Promise<unknown>)[] = []
  const connections = new Map<string, NatsConnection>()
  const start = (port?: number) =>
    startNats({ directory, config: readFileSync(configFile, 'utf8'), environment: keys, ...(port ? { port } : {}) })
  let server = await start()
  const natsUrl = server.url
  const config = (user: string) => ({ natsUrl, natsNamespace: '', natsNkeySeed: seeds[user] ?? '', natsCaFile: '' })

  async function bus(name: string) {
    const service = createService(name, { logLevel: 'info' })
    const logged = recordLog(service)
    stops.push(() => service.stop())
    return { ...(await service.use(openBus(service, config(name)))), service, logged }
  }
  const keeper = await bus(streamKeeper)
  await keeper.service.use(keepStreams(keeper.service, keeper))

  return {
    get pid() {
      return server.pid
    },
    config,
    bus,
    async as(user) {
      const connection =
        connections.get(user) ??
        (await connect({
          servers: natsUrl,
          authenticator: nkeyAuthenticator(new TextEncoder().encode(seeds[user]!)),
          inboxPrefix: inboxPrefix(user),
          waitOnFirstConnect: true,
          timeout: 5_000,
        }))
      connections.set(user, connection)
      return connection
    },
    async loseStore() {
      const port = Number(new URL(natsUrl).port)
      await server.stop()
      rmSync(join(directory, 'nats'), { recursive: true })
      server = await start(port)
    },
    reload(change) {
      const file = join(directory, 'nats-server.conf')
      writeFileSync(file, change(readFileSync(file, 'utf8')))
      process.kill(server.pid, 'SIGHUP')
    },
    async close() {
      for (const stop of stops.toReversed()) await stop()
      for (const connection of connections.values()) await connection.close()
      await server.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Captures the log of the service from now on instead of writing it. */
export function recordLog(service: Service): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = []
  const method = (level: string) => (about: object, message: string) => void lines.push({ level, message, ...about })
  Object.assign(service.log, { info: method('info'), warn: method('warn'), error: method('error') })
  return lines
}
