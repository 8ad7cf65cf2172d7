// Starts the whole stack in the background and waits until every process is ready. Safe to repeat: unchanged processes keep running.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { createConnection } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { migrate } from '@lettergate/database/migrate'
import { migratorRole } from '@lettergate/database/roles'
import { seed } from '@lettergate/gateway/seed'
import { schemas as schemasByService } from '@lettergate/single/schemas'
import { ensureCertificates } from '@lettergate/stage/certificates'
import { freePort } from '@lettergate/stage/ports'
import { startPostgres } from '@lettergate/stage/postgres'
import { ensureOwners, ensureRoles, roleUrl } from '@lettergate/stage/roles'
import { brokerSettings, startBroker } from './broker.ts'
import type { LauncherConfig } from './config.ts'
import {
  certificatesIn,
  environmentOf,
  labelOf,
  planProcesses,
  settingsOf,
  surroundingsOf,
  type ProcessPlan,
} from './processes.ts'
import { runTogether } from './run-together.ts'
import { isRunning, startProcess, stopProcess, waitReady } from './run-process.ts'
import { ownSecrets, readStack, writeStack, type Stack } from './state.ts'

const schemas = Object.values(schemasByService)
const readyWithinMs = 180_000

/** Starts missing processes, restarts those with changed settings, waits for all, and returns the addresses. */
export async function up(config: LauncherConfig, print: (line: string) => void): Promise<Stack> {
  const began = performance.now()
  const directory = config.stateDirectory
  mkdirSync(join(directory, 'logs'), { recursive: true })
  const before = readStack(directory)
  const ports = { ...before?.ports }
  const infrastructure = [...(before?.infrastructure ?? [])]
  const secrets = ownSecrets(directory)
  const natsFingerprint = fingerprintOf(brokerSettings(secrets))
  await refuseTakenPort(config, before)

  async function server(
    name: string,
    given: string,
    start: (port: number) => Promise<{ url: string; pid: number }>,
    url: (port: number) => string,
    hasOtherSettings = false,
  ) {
    if (given) return given
    const port = (ports[name] ??= await freePort())
    const known = infrastructure.find((entry) => entry.name === name)
    if (known && isRunning(known.pid)) {
      if (!hasOtherSettings) return url(port)
      print(`${name} has other settings now; restarting it`)
      await stopProcess(known.pid, 'SIGINT', 25_000)
    }
    print(`starting ${name}`)
    const started = await start(port)
    infrastructure.splice(0, infrastructure.length, ...infrastructure.filter((entry) => entry.name !== name), {
      name,
      pid: started.pid,
    })
    return started.url
  }
  const [databaseUrl, natsUrl] = await Promise.all([
    server(
      'postgres',
      config.databaseUrl,
      (port) => startPostgres({ directory, port, durable: true, detached: true, preload: config.postgresPreload }),
      (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    ),
    server(
      'nats',
      config.natsUrl,
      (port) => startBroker({ directory, secrets, port, print }),
      (port) => `nats://127.0.0.1:${port}`,
      before?.fingerprints.nats !== natsFingerprint,
    ),
  ])

  const fresh = before === undefined
  const portNames = new Set<string>()
  const surroundings = surroundingsOf(config, secrets, { databaseUrl, natsUrl })
  const planWith = (port: (name: string) => number) => {
    const apart = planProcesses({ ...surroundings, port })
    return { apart, plans: runTogether(apart, config.target, port) }
  }
  planWith((name) => (portNames.add(name), 0))
  for (const name of portNames) ports[name] ??= await freePort()
  const { apart, plans } = planWith((name) => ports[name]!)
  const stack: Stack = {
    base_url: `http://127.0.0.1:${config.port}`,
    console_url: `http://127.0.0.1:${config.port}/console`,
    wallet_url: `http://127.0.0.1:${ports.wallet}`,
    provider_url: `http://127.0.0.1:${ports['mail-provider']}`,
    dns: `127.0.0.1:${ports.dns}`,
    database_url: databaseUrl,
    nats_url: natsUrl,
    ...(portNames.has('traces') ? { traces_url: `http://127.0.0.1:${ports.traces}` } : {}),
    processes: (before?.processes ?? []).map((running) => ({ ...running, replica: running.replica ?? 1 })),
    fingerprints: { ...before?.fingerprints, nats: natsFingerprint },
    infrastructure,
    ports,
  }
  writeStack(directory, stack)

  print('migrating the seven schemas')
  await ensureRoles(databaseUrl, schemas)
  await ensureOwners(databaseUrl, schemas)
  for (const schema of schemas) await migrate(roleUrl(databaseUrl, migratorRole), schema)
  if (fresh) {
    print('seeding users and workspaces')
    await seed(roleUrl(databaseUrl, schemasByService['gateway']!.role))
  }

  const withCertificates = apart.filter((plan) => plan.environment.TLS_CERT_FILE)
  await ensureCertificates(certificatesIn(directory), [...new Set(withCertificates.map(({ name }) => name))])

  await stopUnplanned()
  print(`starting ${plans.length} processes`)
  await Promise.all(plans.map((plan) => startOrKeep(plan)))
  await Promise.all(
    stack.processes.map(async (running) => {
      await waitReady(
        { name: labelOf(running), pid: running.pid, healthUrl: running.health_url, log: running.log },
        readyWithinMs,
      )
      print(`  ${labelOf(running)} is ready`)
    }),
  )
  print(`ready after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  return stack

  async function stopUnplanned() {
    const planned = new Set(plans.map(labelOf))
    const gone = stack.processes.filter((running) => !planned.has(labelOf(running)))
    await Promise.all(gone.map((running) => stopProcess(running.pid, 'SIGTERM', 25_000)))
    stack.processes = stack.processes.filter((running) => planned.has(labelOf(running)))
  }

  async function startOrKeep(plan: ProcessPlan) {
    const label = labelOf(plan)
    const fingerprint = fingerprintOf(
      Object.entries(plan.environment)
        .concat(settingsOf(config))
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    )
    const known = stack.processes.find((running) => labelOf(running) === label)
    if (known && isRunning(known.pid)) {
      if (stack.fingerprints[label] === fingerprint) return
      print(`  ${label} has other settings now; restarting it`)
      await stopProcess(known.pid, 'SIGTERM', 25_000)
    }
    const log = join(directory, 'logs', `${label}.log`)
    const pid = startProcess(plan, environmentOf(config, plan), log)
    stack.processes = [
      ...stack.processes.filter((running) => labelOf(running) !== label),
      { name: plan.name, role: plan.role, replica: plan.replica, pid, health_url: plan.healthUrl, log },
    ]
    stack.fingerprints[label] = fingerprint
    writeStack(directory, stack)
  }
}

const fingerprintOf = (settings: unknown): string => createHash('sha256').update(JSON.stringify(settings)).digest('hex')

async function refuseTakenPort(config: LauncherConfig, before: Stack | undefined) {
  const edge = before?.processes.find((running) => running.name === 'edge')
  if (edge && isRunning(edge.pid)) return
  const socket = createConnection(config.port, '127.0.0.1')
  const taken = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  if (taken)
    throw new Error(`Port ${config.port} is taken by another program. Choose another one: LETTERGATE_PORT=8081 make up`)
}
