import { pino, type Logger } from 'pino'
import { Registry } from 'prom-client'
import { trace } from '@opentelemetry/api'
import { loggedError } from './logged-error.ts'
import { requireProtectedPorts, type TlsFiles } from './peers.ts'

/** Something that was started and has to be stopped. */
export interface Part {
  stop(): Promise<void>
}

/** One running deployable: its parts, log, metrics and readiness. */
export interface Service {
  readonly name: string
  readonly role: string
  readonly log: Logger
  readonly metrics: Registry
  /** the address that its ports are opened on */
  readonly bindAddress: string
  /** who it is to other services; without, gRPC is plain text and everybody is obeyed */
  readonly tls: TlsFiles | undefined
  /** how long it waits for another service's answer, unless a call says otherwise */
  readonly rpcTimeoutMs: number
  now(): Date
  /** Takes responsibility for a part; parts stop in the reverse of the order in which they were used. */
  use<T extends Part>(part: T | Promise<T>): Promise<T>
  /** `/readyz` is 503 while any check throws. */
  readiness(name: string, check: () => Promise<void>): void
  readonly checks: ReadonlyMap<string, () => Promise<void>>
  stop(): Promise<void>
}

export interface ServiceOptions {
  role?: string
  logLevel?: string
  /** default 127.0.0.1 */
  bindAddress?: string
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

/** Makes a service without starting anything; throws a ConfigError when its gRPC port would be open to others. Log lines carry the trace id and never an address, a token or a secret. */
export function createService(name: string, options: ServiceOptions = {}): Service {
  const { bindAddress = '127.0.0.1', tls, allowPlaintextPeers = false } = options
  requireProtectedPorts({ bindAddress, tls, allowPlaintextPeers })
  const parts: Part[] = []
  const checks = new Map<string, () => Promise<void>>()
  const metrics = new Registry()
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
    tls,
    rpcTimeoutMs: options.rpcTimeoutMs ?? 2_000,
    checks,
    now: options.now ?? (() => new Date()),
    async use(part) {
      const started = await part
      parts.push(started)
      return started
    },
    readiness: (label, check) => void checks.set(label, check),
    stop: () => (stopping ??= stopAll()),
  }
}
