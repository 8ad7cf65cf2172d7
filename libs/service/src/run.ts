import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from './config.ts'
import { createService, type Service, type ServiceOptions } from './lifecycle.ts'
import { tlsFilesOf } from './peers.ts'
import { collectProcessMetrics } from './process-metrics.ts'
import { stopTelemetry } from './telemetry-state.ts'

/** The configuration that every process needs. */
export interface RunConfig {
  readonly role: string
  readonly logLevel: string
  readonly bindAddress: string
  readonly tlsCaFile: string
  readonly tlsCertFile: string
  readonly tlsKeyFile: string
  readonly allowPlaintextPeers: boolean
  readonly rpcTimeoutMs: number
  readonly drainDelayMs: number
}

export function serviceOptionsOf(config: RunConfig): ServiceOptions {
  const { role, logLevel, bindAddress, allowPlaintextPeers, rpcTimeoutMs } = config
  return { role, logLevel, bindAddress, allowPlaintextPeers, rpcTimeoutMs, tls: tlsFilesOf(config) }
}

const forcedStopMs = 20_000

/**
 * Runs a process: read the configuration, start, serve until SIGTERM or SIGINT, drain, stop within 20 s. A second signal ends
 * it at once. With an incomplete environment it exits with status 78 and a list of all problems.
 */
export async function run<C extends RunConfig>(
  name: string,
  start: (service: Service, config: C) => Promise<unknown>,
  loadConfig: () => C,
): Promise<void> {
  let config: C
  let service: Service
  try {
    config = loadConfig()
    service = createService(name, serviceOptionsOf(config))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${name}: ${error.message}\n`)
    process.exit(78)
  }
  collectProcessMetrics(service)
  process.on('unhandledRejection', (error) => {
    service.log.fatal({ err: error }, 'unhandled rejection')
    process.exit(70)
  })

  let stopping = false
  const shutDown = async (signal: string) => {
    if (stopping) process.exit(130)
    stopping = true
    service.log.info({ signal }, 'stopping')
    service.readiness('stopping', () => Promise.reject(new Error('this process is stopping')))
    setTimeout(() => process.exit(75), forcedStopMs).unref()
    await sleep(config.drainDelayMs)
    await service.stop()
    await stopTelemetry()
    process.exit(0)
  }
  process.on('SIGTERM', () => void shutDown('SIGTERM'))
  process.on('SIGINT', () => void shutDown('SIGINT'))

  try {
    const ports = await start(service, config)
    service.log.info({ ports }, 'ready')
  } catch (error) {
    service.log.fatal({ err: error }, 'could not start')
    await service.stop()
    process.exit(70)
  }
}
