import {
  create,
  getOption,
  toBinary,
  type DescMessage,
  type DescService,
  type MessageInitShape,
} from '@bufbuild/protobuf'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { callers } from '@lettergate/contracts/rpc/v1/options'
import { newId } from '@lettergate/database'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { checkStatements } from '@lettergate/database/statement-check'
import { keepStreams, openBus, type BusConfig } from '@lettergate/events'
import { eventName, eventSubject, toHeaders } from '@lettergate/events/message'
import { streamNames } from '@lettergate/events/streams'
import { connect, type Client } from '@lettergate/rpc'
import {
  createService,
  serviceOptionsOf,
  systemCaller,
  type CallScope,
  type Caller,
  type RunConfig,
  type Service,
} from '@lettergate/service'
import { testUser } from './broker.ts'
import { loadConfig } from './config.ts'
import { startInfra } from './infra.ts'
import { untilDatabaseAnswers } from './patiently.ts'
import { addPolls, removePolls } from './polls.ts'
import { roleUrl } from './roles.ts'
import { openCertificates } from './stage-certificates.ts'
import { cloneDatabase, dropDatabase } from './template.ts'

export { until } from './until.ts'

export interface Ports {
  rpcPort?: number
  httpPort?: number
  healthPort?: number
}

export interface Stage {
  readonly adminUrl: string
  /** The connection options of a service's NATS user, or, without a name, of the user of the tests, which may do everything. */
  bus(service?: string): BusConfig
  /** `service.now()` of every service booted here; it stands still after it was set */
  readonly clock: { now(): Date; set(at: Date): void; advance(ms: number): void; release(): void }
  /** The database URL of a schema's service. */
  databaseUrl(role: string): string
  /** Starts a service through its own `start()`, on free ports. */
  boot<C extends RunConfig, P extends Ports>(
    name: string,
    start: (service: Service, config: C) => Promise<P>,
    loadConfig: (env: NodeJS.ProcessEnv) => C,
    env?: Record<string, string>,
  ): Promise<P & { service: Service; stop(): Promise<void> }>
  /** Every service that was booted here, one for each process. */
  readonly services: readonly Service[]
  /** The environment that `boot` gives a service, for a service that is started as a process. */
  environment(name: string, env?: Record<string, string>): Record<string, string>
  /** The TLS settings of a program that only calls services, with a certificate of that name. */
  certificate(name: string): Promise<Record<string, string>>
  /**
   * Calls each rpc as the first service that it declares as a caller, or every rpc as the given service. Repeats a unary call
   * while the database is too busy for it.
   */
  client<S extends DescService>(rpc: S, port: number, as?: string): Promise<Client<S>>
  /** A caller for `client` calls; by default an owner in that workspace. */
  caller(caller: Partial<Caller>): CallScope
  /** Publishes one event as that service. Returns its id. */
  publish<S extends DescMessage>(
    service: string,
    schema: S,
    init: MessageInitShape<S>,
    meta?: { workspaceId?: string; id?: string; trace?: Record<string, string>; time?: Date },
  ): Promise<string>
  /** Queries as the administrator, without row-level security, for assertions. */
  query<T = Record<string, unknown>>(text: string, params?: unknown[]): Promise<T[]>
  /** Stops everything, then fails if a database connection is still open. */
  close(): Promise<void>
}

/** A long timeout, because tests share a busy machine. */
const testTimeoutMs = 30_000

/** Triggers that run as the owner of a schema are subject to row-level security. */
const asSystem = '-c app.system=stage'

/** The environment of one test file: a database with these schemas, streams in NATS, a clock. */
export async function openStage(options: { schemas: readonly ServiceSchema[] }): Promise<Stage> {
  const config = loadConfig()
  checkStatements(config.statementsDirectory)
  const infra = await startInfra(config)
  const adminUrl = await cloneDatabase(infra.databaseUrl, config.runId, options.schemas)
  const namespace = `t${randomUUID().slice(0, 8)}`
  const look = new pg.Pool({ connectionString: adminUrl, max: 2, application_name: 'stage', options: asSystem })
  const helper = createService('stage', { logLevel: config.logLevel })
  const certificates = await openCertificates(
    config.certificatesDirectory,
    options.schemas.map(({ service, schema }) => service ?? schema),
  )
  const stops: (() => Promise<void>)[] = []
  const services: Service[] = []
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
  const busConfig = (name: string): BusConfig => {
    const seed = infra.natsSeeds[name]
    if (seed === undefined && testUser in infra.natsSeeds) throw new Error(`NATS knows no user ${name}`)
    return { natsUrl: infra.natsUrl, natsNamespace: namespace, natsNkeySeed: seed ?? '', natsCaFile: '' }
  }
  const bus = await helper.use(openBus(helper, busConfig(testUser)))
  const streams = await helper.use(keepStreams(helper, bus))

  const tlsEnvironment = (name: string) => {
    const { ca, cert, key } = certificates.filesOf(name)
    return { TLS_CA_FILE: ca, TLS_CERT_FILE: cert, TLS_KEY_FILE: key }
  }
  const environment = (name: string, env: Record<string, string> = {}) => ({
    DATABASE_URL: databaseUrl(roleOf(name)),
    NATS_URL: infra.natsUrl,
    NATS_NAMESPACE: namespace,
    NATS_NKEY_SEED: busConfig(name).natsNkeySeed,
    LOG_LEVEL: config.logLevel,
    DEPLOYMENT_ENVIRONMENT: 'test',
    ...config.compileCache,
    ...tlsEnvironment(name),
    ...env,
  })

  const callersOfTests = new Map<string, Promise<Service>>()
  /** A service that only calls, with the certificate of that name. */
  const callerOf = async (name: string): Promise<Service> => {
    const service = createService(name, { logLevel: config.logLevel, tls: await certificates.of(name) })
    stops.push(() => service.stop())
    return service
  }
  async function client<S extends DescService>(rpc: S, port: number, as?: string): Promise<Client<S>> {
    const callerOfMethod = new Map(rpc.methods.map((method) => [method, as ?? getOption(method, callers)[0]!]))
    const connected: Record<string, Client<S>> = {}
    for (const name of new Set(callerOfMethod.values())) {
      if (!callersOfTests.has(name)) callersOfTests.set(name, callerOf(name))
      const service = await callersOfTests.get(name)!
      connected[name] = await service.use(connect(service, `127.0.0.1:${port}`, rpc, { timeoutMs: 60_000 }))
    }
    const calls = [...callerOfMethod].map(([{ localName, methodKind }, name]) => {
      const call = (connected[name] as Record<string, (...given: unknown[]) => unknown>)[localName]!
      return [localName, methodKind === 'unary' ? untilDatabaseAnswers(localName, call) : call]
    })
    return Object.fromEntries(calls) as Client<S>
  }

  return {
    adminUrl,
    bus: (name = testUser) => busConfig(name),
    clock,
    databaseUrl,
    services,
    environment,
    async boot(name, start, load, env) {
      await certificates.of(name)
      const settings = load({ RPC_TIMEOUT_MS: String(testTimeoutMs), ...environment(name, env) })
      const options = { ...serviceOptionsOf(settings), role: env?.ROLE ?? '', logLevel: config.logLevel }
      const service = createService(name, { ...options, now: clock.now })
      const stop = () => {
        removePolls(service)
        return service.stop()
      }
      stops.push(stop)
      const ports = await start(service, settings).catch(async (error: unknown) => {
        await stop() // started parts must not run during the next test
        throw error
      })
      addPolls(service)
      services.push(service)
      return { ...ports, service, stop }
    },
    async certificate(name) {
      await certificates.of(name)
      return tlsEnvironment(name)
    },
    client,
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
      const id = meta.id ?? newId()
      const event = eventName(schema)
      const row = {
        id,
        event,
        workspace_id: meta.workspaceId ?? null,
        payload: toBinary(schema, create(schema, init)),
        headers: { type: schema.typeName, correlationId: id, actor: 'tester', trace: meta.trace ?? {} },
        created_at: (meta.time ?? new Date()).toISOString(),
      }
      await bus.js.publish(bus.subject(eventSubject(service, event)), row.payload, { headers: toHeaders(service, row) })
      return id
    },
    query: async <T>(text: string, params?: unknown[]) => (await look.query(text, params)).rows as T[],
    async close() {
      await Promise.all(stops.toReversed().map((stop) => stop()))
      await streams.stop()
      for (const name of streamNames) await bus.jsm.streams.delete(bus.stream(name)).catch(() => undefined)
      await helper.stop()
      await look.end()
      try {
        await dropDatabase(infra.databaseUrl, new URL(adminUrl).pathname.slice(1))
      } finally {
        certificates.remove()
        await infra.stop()
      }
    },
  }
}
