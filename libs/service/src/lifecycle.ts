import { pino, type Logger } from 'pino'
import type { Registry } from 'prom-client'
import { trace } from '@opentelemetry/api'
import { loggedError } from './logged-error.ts'
import { openRegistry } from './registry.ts'
import { requireProtectedPorts, type TlsFiles } from './peers.ts'

/** A started part that must be stopped. */
export interface Part {
  stop(): Promise<void>
}

/** One running deployable: its parts, log, metrics and readiness. */
export interface Service {
  readonly name: string
  readonly role: string
  readonly log: Logger
  readonly metrics: Registry
  /** the address of its gRPC port */
  readonly bindAddress: string
  /** the address of its HTTP and health ports */
  readonly httpBindAddress: string
  /** its identity for other services; without it gRPC is plain text without authentication */
  readonly tls: TlsFiles | undefined
  /** default timeout of calls to other services */
  readonly rpcTimeoutMs: number
  now(): Date
  /** Owns a part and stops it; parts stop in the reverse order. */
  use<T extends Part>(part: T | Promise<T>): Promise<T>
  /** `/readyz` is 503 while any check throws. */
  readiness(name: string, check: () => Promise<void>): void
  readonly checks: ReadonlyMap<string, () => Promise<void>>
  /** Other services read it with the health protocol of gRPC: not serving while the check throws. `/readyz` does not depend on it. */
  condition(name: string, check: () => Promise<void>): void
  readonly conditions: ReadonlyMap<string, () => Promise<void>>
  stop(): Promise<void>
}

export interface ServiceOptions {
  role?: string
  logLevel?: string
  /** default 127.0.0.1 */
  bindAddress?: string
  /** default and when empty: bindAddress */
  httpBindAddress?: string
  tls?: TlsFiles | undefined
  /** default false: without TLS, other addresses than loopback are refused */
  allowPlaintextPeers?: boolean
  /** default 2,000 */
  rpcTimeoutMs?: number
  now?: () => Date
}

const secretPaths = [
  'authorization',
  'cookie',
  'token',
  'secret',
  'password',
  'email',
  'headers.authorization',
  'headers.cookie',
]

/**
 * Makes a service without starting anything. Throws a ConfigError when its gRPC port would be reachable without TLS. Log lines
 * have the trace id, and never an address, a token or a secret.
 */
export function createService(name: string, options: ServiceOptions = {}): Service {
  const { bindAddress = '127.0.0.1', tls, allowPlaintextPeers = false } = options
  requireProtectedPorts({ bindAddress, tls, allowPlaintextPeers })
  const parts: Part[] = []
  const checks = new Map<string, () => Promise<void>>()
  const conditions = new Map<string, () => Promise<void>>()
  const metrics = openRegistry()
  const role = options.role || 'service'
  metrics.setDefaultLabels({ service: name, role })
  const log = pino({
    level: options.logLevel ?? 'info',
    base: { service: name, role },
    redact: { paths: secretPaths, censor: '[redacted]' },
    serializers: { err: loggedError },
    mixin: () => {
      const span = trace.getActiveSpan()?.spanContext()
      return span ? { trace_id: span.traceId, span_id: span.spanId } : {}
    },
  })
  let stopping: Promise<void> | undefined

  async function stopAll() {
    for (const part of parts.toReversed()) {
      await part.stop().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'))
    }
    metrics.clear()
  }

  return {
    name,
    role,
    log,
    metrics,
    bindAddress,
    httpBindAddress: options.httpBindAddress || bindAddress,
    tls,
    rpcTimeoutMs: options.rpcTimeoutMs ?? 2_000,
    checks,
    conditions,
    now: options.now ?? (() => new Date()),
    async use(part) {
      const started = await part
      parts.push(started)
      return started
    },
    readiness: (label, check) => void checks.set(label, check),
    condition: (label, check) => void conditions.set(label, check),
    stop: () => (stopping ??= stopAll()),
  }
}
