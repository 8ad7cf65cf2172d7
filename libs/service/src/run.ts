import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from './config.ts'
import { createService, type Part, type Service, type ServiceOptions } from './lifecycle.ts'
import { tlsFilesOf } from './peers.ts'
import { collectProcessMetrics, collectStartTime } from './process-metrics.ts'
import { stopTelemetry } from './telemetry-state.ts'

/** The configuration that every process needs. */
export interface RunConfig {
  readonly role: string
  readonly logLevel: string
  readonly bindAddress: string
  readonly httpBindAddress: string
  readonly tlsCaFile: string
  readonly tlsCertFile: string
  readonly tlsKeyFile: string
  readonly allowPlaintextPeers: boolean
  readonly rpcTimeoutMs: number
  readonly drainDelayMs: number
}

export function serviceOptionsOf(config: RunConfig): ServiceOptions {
  const { role, logLevel, bindAddress, httpBindAddress, allowPlaintextPeers, rpcTimeoutMs } = config
  return { role, logLevel, bindAddress, httpBindAddress, allowPlaintextPeers, rpcTimeoutMs, tls: tlsFilesOf(config) }
}

/** Longer than a hand-off, which begins up to 2 s after its intent and takes at most `DELIVERY_HAND_OFF_TIMEOUT_MS`. */
const forcedStopMs = 20_000

/** A service that a process runs: its name, and how it is opened from the environment and then started. */
export interface Program {
  readonly name: string
  /** Reads the configuration; throws a ConfigError for an incomplete environment. */
  open(this: void): { readonly config: RunConfig; readonly service: Service; start(this: void): Promise<unknown> }
}

export const program = <C extends RunConfig>(
  name: string,
  start: (service: Service, config: C) => Promise<unknown>,
  loadConfig: () => C,
): Program => ({
  name,
  open() {
    const config = loadConfig()
    const service = createService(name, serviceOptionsOf(config))
    return { config, service, start: () => start(service, config) }
  },
})

/** Runs a process with one service. */
export const run = <C extends RunConfig>(
  name: string,
  start: (service: Service, config: C) => Promise<unknown>,
  loadConfig: () => C,
): Promise<void> => runTogether([program(name, start, loadConfig)])

/**
 * Runs a process: read the configurations, start, serve until SIGTERM or SIGINT, report not ready, wait `DRAIN_DELAY_MS`, stop
 * within 20 s. A second signal ends it at once. With an incomplete environment it exits with status 78 and a list of all problems. The services start at the same
 * time and stop in the reverse order. `beside` gets them before they start; what it returns stops last.
 */
export async function runTogether(
  programs: readonly Program[],
  beside?: (services: readonly Service[]) => Promise<Part>,
): Promise<void> {
  const opened = openAll(programs)
  const services = opened.map(({ service }) => service)
  const { log } = services[0]!
  collectProcessMetrics(services[0]!)
  for (const service of services.slice(1)) collectStartTime(service)
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection')
    process.exit(70)
  })

  let part: Part | undefined
  const stopAll = async () => {
    for (const service of services.toReversed()) await service.stop()
    await part?.stop()
  }
  let stopping = false
  const shutDown = async (signal: string) => {
    if (stopping) process.exit(130)
    stopping = true
    log.info({ signal }, 'stopping')
    for (const service of services)
      service.readiness('stopping', () => Promise.reject(new Error('this process is stopping')))
    await sleep(Math.max(...opened.map(({ config }) => config.drainDelayMs)))
    setTimeout(() => process.exit(75), forcedStopMs).unref()
    await stopAll()
    await stopTelemetry()
    process.exit(0)
  }
  process.on('SIGTERM', () => void shutDown('SIGTERM'))
  process.on('SIGINT', () => void shutDown('SIGINT'))

  let isStarted = false
  for (const service of services)
    service.readiness('started', async () => {
      if (!isStarted) throw new Error('this process is starting')
    })
  try {
    part = await beside?.(services)
    await Promise.all(
      opened.map(async ({ service, start }) => {
        const ports = await start()
        service.log.info({ ports }, 'ready')
      }),
    )
    isStarted = true
  } catch (error) {
    log.fatal({ err: error }, 'could not start')
    await stopAll()
    process.exit(70)
  }
}

/** Opens every program, or prints the problems of all their environments and exits. */
function openAll(programs: readonly Program[]): ReturnType<Program['open']>[] {
  let isComplete = true
  const opened = programs.flatMap(({ name, open }) => {
    try {
      return [open()]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      process.stderr.write(`${name}: ${error.message}\n`)
      isComplete = false
      return []
    }
  })
  if (!isComplete) process.exit(78)
  return opened
}
