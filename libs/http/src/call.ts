import { SpanKind, SpanStatusCode, context, propagation, trace, type Span } from '@opentelemetry/api'
import type { LookupFunction } from 'node:net'
import { Pool, type Dispatcher } from 'undici'

export interface CallOptions {
  method: Dispatcher.HttpMethod
  url: string
  headers?: Record<string, string>
  /** The complete body, so that the request declares its length. */
  body?: Buffer | string
  /** Timeout for a connection, with the wait for a free one; default 5,000, at most 10,000. */
  connectTimeoutMs?: number
  /** Timeout from the call to the last byte of the answer; default 15,000. */
  timeoutMs?: number
  /** Bytes of the answer's body that are kept; the rest is not read. Default 1 MiB. */
  bodyBytesMax?: number
  /** Resolves names for new connections instead of the system, and may refuse one. Not called for an IP address in the URL. */
  lookup?: LookupFunction
  signal?: AbortSignal
  /** Asked once a connection is ready, before the first byte of the request is written. If false, the result is `not_sent`. */
  mayStart?: () => boolean
  /** Called just before the first byte of the request is written. */
  onStarted?: () => void
}

/**
 * `not_sent`: provably no byte of the request reached a socket (DNS, refused, TLS, connect timeout, no free connection, or
 * `mayStart` was false). `ambiguous`: the server may have processed the request, whatever the error says. `answered`: a complete answer of any
 * status; `truncated` when its body was longer than the limit.
 */
export type CallResult =
  | { kind: 'answered'; status: number; headers: Record<string, string>; body: Buffer; truncated: boolean }
  | { kind: 'not_sent'; error: Error }
  | { kind: 'ambiguous'; error: Error }

const connectionsMax = 256
const systemPools = new Map<string, Pool>()
/** The connections of each lookup function. A connection that one lookup allowed is never used for a call with another. */
const guardedPools = new WeakMap<LookupFunction, Map<string, Pool>>()

function poolsOf(lookup: LookupFunction | undefined): Map<string, Pool> {
  if (!lookup) return systemPools
  const pools = guardedPools.get(lookup) ?? new Map<string, Pool>()
  guardedPools.set(lookup, pools)
  return pools
}

function poolOf(origin: string, lookup: LookupFunction | undefined): Pool {
  const pools = poolsOf(lookup)
  let pool = pools.get(origin)
  if (!pool) {
    pool = new Pool(origin, {
      allowH2: false,
      pipelining: 1,
      connections: connectionsMax,
      // The timers of this file decide; these limits only remove what a call leaves behind.
      connect: { timeout: 10_000, ...(lookup ? { lookup } : {}) },
      headersTimeout: 120_000,
      bodyTimeout: 120_000,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
    })
    const created = pool
    // An unused origin frees its connections.
    created.on('disconnect', () => {
      if (
        created.stats.connected === 0 &&
        created.stats.pending === 0 &&
        created.stats.running === 0 &&
        pools.get(origin) === created
      ) {
        pools.delete(origin)
        void created.close()
      }
    })
    pools.set(origin, pool)
  }
  return pool
}

const flat = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

function dispatch(options: CallOptions, url: URL, headers: Record<string, string>): Promise<CallResult> {
  const { connectTimeoutMs = 5_000, timeoutMs = 15_000, bodyBytesMax = 1_048_576, signal } = options
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let status = 0
    let responseHeaders: Record<string, string> = {}
    let received = 0
    let settled = false
    const chunks: Buffer[] = []

    const settle = (result: CallResult) => {
      if (settled) return
      settled = true
      clearTimeout(total)
      clearTimeout(connecting)
      signal?.removeEventListener('abort', onAbort)
      resolve(result)
    }
    const answered = (truncated: boolean) =>
      settle({ kind: 'answered', status, headers: responseHeaders, body: Buffer.concat(chunks), truncated })
    // undici calls onRequestStart just before the first byte is written: without a controller nothing was sent.
    const fail = (error: Error) => {
      settle({ kind: controller ? 'ambiguous' : 'not_sent', error })
      controller?.abort(error)
    }
    const onAbort = () => fail(new Error('the call was cancelled'))
    const total = setTimeout(() => fail(new Error(`no complete answer within ${timeoutMs} ms`)), timeoutMs)
    const connectUntil = performance.now() + connectTimeoutMs
    const noConnection = () => fail(new Error(`no connection within ${connectTimeoutMs} ms`))
    const connecting = setTimeout(noConnection, connectTimeoutMs)
    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })

    poolOf(url.origin, options.lookup).dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: options.method,
        headers,
        body: options.body ?? null,
      },
      {
        onRequestStart(started) {
          // A process that was stopped or busy can notice the connection before its timer.
          if (!controller && performance.now() > connectUntil) noConnection()
          if (!settled && !controller && options.mayStart?.() === false)
            fail(new Error('the caller stopped the call before its first byte'))
          // The call ended while it waited, or undici retries: abort before a byte is written.
          if (settled || controller) return started.abort(new Error('the call has ended'))
          controller = started
          clearTimeout(connecting)
          options.onStarted?.()
        },
        onResponseStart(_, code, rawHeaders) {
          if (code < 200) return
          status = code
          responseHeaders = flat(rawHeaders)
        },
        onResponseData(started, chunk) {
          if (settled) return
          const room = bodyBytesMax - received
          received += chunk.length
          chunks.push(received > bodyBytesMax ? Buffer.from(chunk.subarray(0, room)) : Buffer.from(chunk))
          if (received <= bodyBytesMax) return
          answered(true)
          started.abort(new Error('the rest of the answer is not read'))
        },
        onResponseEnd: () => answered(false),
        onResponseError: (_, error) => fail(error),
        onRequestUpgrade(started) {
          fail(new Error('the server changed the protocol'))
          started.abort(new Error('the server changed the protocol'))
        },
      },
    )
  })
}

function finish(span: Span, result: CallResult): void {
  span.setAttribute('lettergate.call.outcome', result.kind)
  if (result.kind === 'answered') {
    span.setAttribute('http.response.status_code', result.status)
    if (result.status >= 400)
      span.setAttribute('error.type', String(result.status)).setStatus({ code: SpanStatusCode.ERROR })
  } else {
    span.setAttribute('error.type', result.error.name)
    span.recordException(result.error)
    span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.message })
  }
  span.end()
}

/**
 * One HTTP request without retries or redirects, over kept-alive connections. Does not throw on network errors: the result
 * says whether the server can have seen the request. The current trace is sent with it.
 */
export async function callHttp(options: CallOptions): Promise<CallResult> {
  let url: URL
  try {
    url = new URL(options.url)
  } catch (error) {
    return { kind: 'not_sent', error: error as Error }
  }
  const span = trace.getTracer('@lettergate/http').startSpan(options.method, {
    kind: SpanKind.CLIENT,
    // Without the path, which may contain a token.
    attributes: {
      'http.request.method': options.method,
      'server.address': url.hostname,
      'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      'url.scheme': url.protocol.slice(0, -1),
    },
  })
  const headers = { ...options.headers }
  propagation.inject(trace.setSpan(context.active(), span), headers)
  const result = await dispatch(options, url, headers)
  finish(span, result)
  return result
}
