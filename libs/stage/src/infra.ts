import { rmSync } from 'node:fs'
import { makeSeeds, testServerConfig, testUser } from './broker.ts'
import { startNats } from './nats.ts'
import { userNames } from '@lettergate/nats/users'
import { startPostgres } from './postgres.ts'
import { scratchDirectory } from './scratch-directory.ts'

/** A PostgreSQL (as an administrator) and a NATS for tests. */
export interface Infra {
  databaseUrl: string
  natsUrl: string
  /** seeds of its users, by name; empty when the given server has no users */
  natsSeeds: Record<string, string>
  stop(): Promise<void>
}

interface Given {
  databaseUrl?: string | undefined
  natsUrl?: string | undefined
  natsSeeds: Record<string, string>
}

/**
 * The servers of the tests, in this order: the given URLs, containers if a Docker engine answers, otherwise local servers on
 * free ports with temporary data.
 */
export async function startInfra(given: Given): Promise<Infra> {
  const stops: (() => Promise<void>)[] = []
  const missing = !given.databaseUrl || !given.natsUrl
  const containers = missing ? await containerRuntime() : undefined
  const natsSeeds = given.natsUrl ? given.natsSeeds : makeSeeds([...userNames, testUser])
  const directory = scratchDirectory('lettergate-test-')

  const database = async () => {
    if (given.databaseUrl) return given.databaseUrl
    if (containers) {
      const started = await new containers.GenericContainer('postgres:18-alpine')
        .withEnvironment({ POSTGRES_PASSWORD: 'postgres' })
        .withExposedPorts(5432)
        .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=400', '-c', 'scram_iterations=1'])
        .withWaitStrategy(containers.Wait.forLogMessage(/ready to accept connections/, 2))
        .start()
      stops.push(async () => void (await started.stop()))
      return `postgres://postgres:postgres@${started.getHost()}:${started.getMappedPort(5432)}/postgres`
    }
    const postgres = await startPostgres({ directory, durable: false })
    stops.push(() => postgres.stop())
    return postgres.url
  }
  const nats = async () => {
    if (given.natsUrl) return given.natsUrl
    if (containers) {
      const started = await new containers.GenericContainer('nats:2.12-alpine')
        .withExposedPorts(4222)
        .withCopyContentToContainer([{ content: testServerConfig(natsSeeds), target: '/nats.conf' }])
        .withCommand(['-c', '/nats.conf'])
        .withWaitStrategy(containers.Wait.forLogMessage(/Server is ready/))
        .start()
      stops.push(async () => void (await started.stop()))
      return `nats://${started.getHost()}:${started.getMappedPort(4222)}`
    }
    const server = await startNats({ directory, config: testServerConfig(natsSeeds) })
    stops.push(() => server.stop())
    return server.url
  }
  const [databaseUrl, natsUrl] = await Promise.all([database(), nats()])
  return {
    databaseUrl,
    natsUrl,
    natsSeeds,
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** testcontainers, if a Docker engine answers. */
async function containerRuntime() {
  const containers = await import('testcontainers')
  try {
    await containers.getContainerRuntimeClient()
    return containers
  } catch {
    return undefined
  }
}
