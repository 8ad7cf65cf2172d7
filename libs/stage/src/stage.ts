import { create, toBinary, type DescMessage, type DescService, type MessageInitShape } from '@bufbuild/protobuf'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { newId } from '@lettergate/database'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { openBus, type Bus } from '@lettergate/events'
import { eventName, eventSubject, toHeaders } from '@lettergate/events/message'
import { connect, type Client } from '@lettergate/rpc'
import { createService, systemCaller, type CallScope, type Caller, type Service } from '@lettergate/service'
import { loadConfig } from './config.ts'
import { startInfra } from './infra.ts'
import { roleUrl } from './roles.ts'
import { cloneDatabase, dropDatabase } from './template.ts'

export { until } from './until.ts'

export interface Ports {
  rpcPort?: number
  httpPort?: number
  healthPort?: number
}

export interface Stage {
  readonly adminUrl: string
  readonly natsUrl: string
  readonly namespace: string
  /** `service.now()` of everything booted here; stands still once it was set */
  readonly clock: { now(): Date; set(at: Date): void; advance(ms: number): void; release(): void }
  /** The URL that a schema's service logs in with. */
  databaseUrl(role: string): string
  /** Starts a service through its own `start()`, on free ports. */
  boot<C, P extends Ports>(
    name: string,
    start: (service: Service, config: C) => Promise<P>,
    loadConfig: (env: NodeJS.ProcessEnv) => C,
    env?: Record<string, string>,
  ): Promise<P & { service: Service; stop(): Promise<void> }>
  /** The environment that `boot` gives a service, for one that is started as a process. */
  environment(name: string, env?: Record<string, string>): Record<string, string>
  client<S extends DescService>(rpc: S, port: number): Promise<Client<S>>
  /** A caller for `client` calls: an owner in that workspace, unless said otherwise. */
  caller(caller: Partial<Caller>): CallScope
  /** Puts one event on the bus, as that service would. Answers its id. */
  publish<S extends DescMessage>(
    service: string,
    schema: S,
    init: MessageInitShape<S>,
    meta?: { workspaceId?: string; id?: string },
  ): Promise<string>
  /** As the administrator, past row-level security: for looking. */
  query<T = Record<string, unknown>>(text: string, params?: unknown[]): Promise<T[]>
  /** Stops everything, then fails if a connection to the database was left open. */
  close(): Promise<void>
}

/** Tests share a busy machine: what takes longer than in production is no failure there. */
const patienceMs = 8_000

/** A stage for one test file: its own database with these schemas, its own corner of NATS, a clock. */
export async function openStage(options: { schemas: readonly ServiceSchema[] }): Promise<Stage> {
  const config = loadConfig()
  const infra = await startInfra(config)
  const adminUrl = await cloneDatabase(infra.databaseUrl, config.runId, options.schemas)
  const namespace = `t${randomUUID().slice(0, 8)}`
  const look = new pg.Pool({ connectionString: adminUrl, max: 2, application_name: 'stage' })
  const helper = createService('stage', { logLevel: config.logLevel })
  const stops: (() => Promise<void>)[] = []
  let opening: Promise<Bus> | undefined
  let fixed: number | undefined

  const clock = {
    now: () => new Date(fixed ?? Date.now()),
    set: (at: Date) => void (fixed = at.getTime()),
    advance: (ms: number) => void (fixed = (fixed ?? Date.now()) + ms),
    release: () => void (fixed = undefined),
  }
  const roleOf = (name: string) =>
    (
      options.schemas.find((schema) => schema.service === name) ??
      options.schemas.find((schema) => name.startsWith(schema.schema)) ??
      options.schemas[0]
    )?.role ?? 'postgres'
  const databaseUrl = (role: string) => roleUrl(adminUrl, role)

  const environment = (name: string, env: Record<string, string> = {}) => ({
    DATABASE_URL: databaseUrl(roleOf(name)),
    NATS_URL: infra.natsUrl,
    NATS_NAMESPACE: namespace,
    LOG_LEVEL: config.logLevel,
    ...env,
  })

  return {
    adminUrl,
    natsUrl: infra.natsUrl,
    namespace,
    clock,
    databaseUrl,
    environment,
    async boot(name, start, load, env) {
      const role = env?.ROLE ?? ''
      const service = createService(name, { role, logLevel: config.logLevel, now: clock.now, rpcTimeoutMs: patienceMs })
      stops.push(() => service.stop())
      const ports = await start(service, load(environment(name, env))).catch(async (error: unknown) => {
        await service.stop() // what had started must not go on beside the next test
        throw error
      })
      return { ...ports, service, stop: () => service.stop() }
    },
    client: (rpc, port) => helper.use(connect(helper, `127.0.0.1:${port}`, rpc, { timeoutMs: 20_000 })),
    caller: (caller) => ({
      caller: {
        ...systemCaller('test', randomUUID()),
        actor: 'tester',
        actorKind: 'human',
        authMethod: 'bearer',
        role: 'owner',
        ...caller,
      },
      deadline: Infinity,
      signal: new AbortController().signal,
    }),
    async publish(service, schema, init, meta = {}) {
      opening ??= openBus(helper, { url: infra.natsUrl, namespace })
      const bus = await opening
      const id = meta.id ?? newId()
      const event = eventName(schema)
      const row = {
        id,
        event,
        workspace_id: meta.workspaceId ?? null,
        payload: toBinary(schema, create(schema, init)),
        headers: { type: schema.typeName, correlationId: id, actor: 'tester', trace: {} },
        created_at: new Date().toISOString(),
      }
      await bus.js.publish(bus.subject(eventSubject(service, event)), row.payload, { headers: toHeaders(service, row) })
      return id
    },
    query: async <T>(text: string, params?: unknown[]) => (await look.query(text, params)).rows as T[],
    async close() {
      await Promise.all(stops.toReversed().map((stop) => stop()))
      const bus = await opening
      if (bus) await dropStreams(bus)
      await bus?.stop()
      await helper.stop()
      await look.end()
      try {
        await dropDatabase(infra.databaseUrl, new URL(adminUrl).pathname.slice(1))
      } finally {
        await infra.stop()
      }
    },
  }
}

async function dropStreams(bus: Bus) {
  for (const name of ['EVENTS', 'DELIVERY']) await bus.jsm.streams.delete(bus.stream(name)).catch(() => undefined)
}
