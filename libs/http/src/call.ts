import { SpanKind, SpanStatusCode, context, propagation, trace, type Span } from '@opentelemetry/api'
import type { LookupFunction } from 'node:net'
import { Pool, type Dispatcher } from 'undici'

export interface CallOptions {
  method: Dispatcher.HttpMethod
  url: string
  headers?: Record<string, string>
  /** Whole, so that its length is declared and it can never be half known. */
  body?: Buffer | string
  /** Until a connection is there, waiting for a free one included; default 5,000, at most 10,000. */
  connectTimeoutMs?: number
  /** For everything, from call to the last byte of the answer; default 15,000. */
  timeoutMs?: number
  /** What is kept of the answer's body; the rest is not read. Default 1 MiB. */
  bodyBytesMax?: number
  /** Resolves names for new connections instead of the system, and may refuse one. Not asked about an address in the URL. */
  lookup?: LookupFunction
  signal?: AbortSignal
}

/**
 * `not_sent`: provably no byte of the request reached a socket (DNS, refused, TLS, connect timeout, no free connection).
 * `ambiguous`: the other side may have acted on it, whatever the error says. `answered`: a complete answer of any
 * status; `truncated` when its body was longer than asked for.
 */
export type CallResult =
  | { kind: 'answered'; status: number; headers: Record<string, string>; body: Buffer; truncated: boolean }
  | { kind: 'not_sent'; error: Error }
  | { kind: 'ambiguous'; error: Error }

const connectionsMax = 256
const systemPools = new Map<string, Pool>()
/** A connection that one look-up allowed is never used for a call with another. */
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
      // Our own timers decide; these only keep what they leave behind from staying for ever.
      connect: { timeout: 10_000, ...(lookup ? { lookup } : {}) },
      headersTimeout: 120_000,
      bodyTimeout: 120_000,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
    })
    const created = pool
    // An origin that nobody talks to any more gives its place up.
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
    // A controller exists from the moment just before the first byte is written: without one, nothing was.
    const fail = (error: Error) => {
      settle({ kind: controller ? 'ambiguous' : 'not_sent', error })
      controller?.abort(error)
    }
    const onAbort = () => fail(new Error('the call was cancelled'))
    const total = setTimeout(() => fail(new Error(`no complete answer within ${timeoutMs} ms`)), timeoutMs)
    const connecting = setTimeout(
      () => fail(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
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
          // Given up while waiting, or a second try that nobody asked for: aborted before anything is written.
          if (settled || controller) return started.abort(new Error('the call was given up'))
          controller = started
          clearTimeout(connecting)
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
          fail(new Error('the other side changed the protocol'))
          started.abort(new Error('the other side changed the protocol'))
        },
      },
    )
  })
}

function finish(span: Span, result: CallResult): void {
  span.setAttribute('lettergate.call.outcome', result.kind)
  if (result.kind === 'answered') {
    span.setAttribute('http.response.status_code', result.status)
    if (result.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR })
  } else {
    span.recordException(result.error)
    span.setStatus({ code: SpanStatusCode.ERROR, message: result.error.message })
  }
  span.end()
}

/**
 * One request, never repeated by itself, over kept-alive connections; follows no redirect. Never throws for what the
 * network does: the answer says whether the other side can have seen the request. The current trace travels along.
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
    // No path: it may carry a token.
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
