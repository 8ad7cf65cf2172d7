import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Pool, type Dispatcher } from 'undici'
import { correlationIdOf, errorHeaders, errorPage, malformedAnswer } from './error-page.ts'

export interface EdgeOptions {
  port: number
  gatewayUrl: string
  webhookUrl: string
  /** Connections kept to each of the two. */
  connections?: number
  /** How long an answer may take to begin, milliseconds; longer than the longest that the gateway waits for, 120 s. */
  answerTimeoutMs?: number
}

export interface Edge {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/**
 * The one public address: `/webhooks/*` goes to webhook-intake, everything else to the gateway. Bodies stream both ways.
 * What cannot be reached is 503, what breaks off before it answers 502, both as HTML.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const pool = (url: string) =>
    new Pool(url, {
      connections: options.connections ?? 256,
      pipelining: 1,
      connect: { timeout: 2_000 },
      headersTimeout: options.answerTimeoutMs ?? 130_000,
      bodyTimeout: 0,
      keepAliveTimeout: 4_000,
    })
  const gateway = pool(options.gatewayUrl)
  const webhooks = pool(options.webhookUrl)

  const handle = (req: IncomingMessage, res: ServerResponse) => {
    const path = originForm(req.url ?? '/')
    if (path === undefined || req.headers.host === undefined) return refuse(req, res, 400)
    forward(isWebhook(path) ? webhooks : gateway, path, req, res)
  }
  // A missing Host header is answered here, as a page, and an unknown expectation is not handed on.
  const server = createServer(
    { keepAliveTimeout: 65_000, noDelay: true, maxHeaderSize: 32_768, requireHostHeader: false },
    handle,
  )
  server.on('checkExpectation', handle)
  server.on('connect', (_req, socket) => void socket.end(malformedAnswer(undefined)))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    socket.end(malformedAnswer(error.code))
  })
  // Uploads take as long as they take; the services limit sizes.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: '127.0.0.1', backlog: 2048 }, resolve)
  })
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    await Promise.all([gateway.destroy(), webhooks.destroy()])
  }
  return { url: `http://127.0.0.1:${port}`, port, stop }
}

const isWebhook = (path: string) => /^\/webhooks(?:[/?]|$)/.test(path)

/** The path as a server expects it: a caller may also send a whole URL (RFC 9112, 3.2.2). */
function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined
  const { pathname, search } = new URL(target)
  return pathname + search
}

/** Headers that belong to one connection and not to the message (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** A caller may not have these dropped by naming them in Connection. */
const framing = ['host', 'content-length']

function forwardedHeaders(req: IncomingMessage): string[] {
  const named = (req.headers.connection ?? '').toLowerCase()
  const headers: string[] = []
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index] ?? ''
    const lower = name.toLowerCase()
    if (hopByHop.has(lower) || lower.startsWith('x-forwarded-') || lower === 'x-real-ip') continue
    if (named !== '' && !framing.includes(lower) && named.split(/\s*,\s*/).includes(lower)) continue
    headers.push(name, req.rawHeaders[index + 1] ?? '')
  }
  const peer = req.socket.remoteAddress ?? ''
  const before = req.headers['x-forwarded-for']
  headers.push('X-Forwarded-For', before === undefined ? peer : `${before.toString()}, ${peer}`)
  headers.push('X-Forwarded-Proto', 'http', 'X-Forwarded-Host', req.headers.host ?? '')
  return headers
}

function forward(pool: Pool, path: string, req: IncomingMessage, res: ServerResponse) {
  const hasBody = req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined
  const options: Dispatcher.DispatchOptions = {
    path,
    method: (req.method ?? 'GET') as Dispatcher.HttpMethod,
    headers: forwardedHeaders(req),
    body: hasBody && req.headers['content-length'] !== '0' ? req : null,
  }
  try {
    pool.dispatch(options, new Relay(req, res))
  } catch (error) {
    fail(req, res, error as NodeJS.ErrnoException)
  }
}

/** Hands the answer on as it arrives, holding it back while the caller reads slowly. */
class Relay implements Dispatcher.DispatchHandler {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  #controller: Dispatcher.DispatchController | undefined

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req
    this.#res = res
    res.once('close', () => {
      if (!res.writableFinished) this.#controller?.abort(new Error('the caller went away'))
    })
    res.on('drain', () => this.#controller?.resume())
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#res.destroyed) controller.abort(new Error('the caller went away'))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number) {
    if (status < 200) return
    const raw = (controller.rawHeaders ?? []) as (Buffer | string)[]
    const headers: string[] = []
    for (let index = 0; index < raw.length; index += 2) {
      const name = raw[index]?.toString('latin1') ?? ''
      if (!hopByHop.has(name.toLowerCase())) headers.push(name, raw[index + 1]?.toString('latin1') ?? '')
    }
    this.#res.writeHead(status, headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (!this.#res.write(chunk)) controller.pause()
  }

  onResponseEnd() {
    this.#res.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error) {
    fail(this.#req, this.#res, error as NodeJS.ErrnoException)
  }
}

const unreachable = [
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]

function fail(req: IncomingMessage, res: ServerResponse, error: NodeJS.ErrnoException) {
  if (res.headersSent || res.destroyed) return void res.destroy()
  if (error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED') return refuse(req, res, 400)
  if (unreachable.includes(error.code ?? '')) return refuse(req, res, 503)
  refuse(req, res, error.code === 'UND_ERR_HEADERS_TIMEOUT' ? 504 : 502)
}

function refuse(req: IncomingMessage, res: ServerResponse, status: number) {
  const correlationId = correlationIdOf(req)
  // The rest of an unread upload is not waited for.
  const headers = errorHeaders(status, correlationId, hasUnread(req))
  res.writeHead(status, status === 503 ? { ...headers, 'Retry-After': '2' } : headers)
  res.end(errorPage(status, correlationId))
}

const hasUnread = (req: IncomingMessage) => !req.complete && (req.socket as Socket | null)?.destroyed === false
