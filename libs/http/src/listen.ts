import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Part, Service } from '@lettergate/service'
import { timeBody } from './body-time.ts'
import { errorPage } from './error-page.ts'
import { SecuredResponse } from './secured-response.ts'

const drainMs = 15_000
// How long a connection without a complete request head stays open while the server stops.
const headTimeoutMs = 1_000
// Time for a request; an operation may give its body more (`limitBody`), up to the second one.
const requestMs = 60_000
const longestRequestMs = 3_600_000

/** Requests that the parser of Node.js refuses do not reach the app; they get an error page here. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const words = status === 431 ? 'Request Header Fields Too Large' : status === 408 ? 'Request Timeout' : 'Bad Request'
  const correlationId = randomUUID()
  const page = errorPage({
    status,
    title: words,
    message:
      'The request is not well-formed HTTP, too large in its headers, or came too slowly. Correct it and send it again.',
    correlationId,
  })
  socket.end(
    `HTTP/1.1 ${status} ${words}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(page)}\r\n` +
      `X-Correlation-ID: ${correlationId}\r\nX-Error-Reason: malformed_http\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${page}`,
  )
}

/** The body did not arrive in time. The rest of it cannot be told from a next request, so the connection ends. */
function late(req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent) return void req.socket.destroy()
  refuse(Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), req.socket)
}

/**
 * Listens and returns the port, or throws when it cannot. Stopping accepts no new connections, lets answers in progress
 * finish (15 s at most), and closes keep-alive connections when they are idle.
 */
export async function listenHttp(
  service: Service,
  app: RequestListener,
  port: number,
  options: { requestMs?: number } = {},
): Promise<Part & { port: number }> {
  const inProgress = new Set<ServerResponse>()
  const sockets = new Set<Socket>()
  let draining = false
  const server = createServer({
    requestTimeout: longestRequestMs,
    headersTimeout: 15_000,
    keepAliveTimeout: 75_000,
    ServerResponse: SecuredResponse,
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    inProgress.add(res)
    timeBody(req, options.requestMs ?? requestMs, () => late(req, res))
    if (draining) res.setHeader('Connection', 'close')
    res.once('close', () => inProgress.delete(res))
    app(req, res)
  })
  // Only 100-continue is supported; a request with another expectation is answered without it.
  server.on('checkExpectation', (req, res) => void server.emit('request', req, res))
  server.on('clientError', refuse)
  server.listen(port, service.httpBindAddress)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      draining = true
      for (const res of inProgress) if (!res.headersSent) res.setHeader('Connection', 'close')
      const closed = once(server, 'close')
      server.close()
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      const silent = setTimeout(() => {
        const busy = new Set([...inProgress].map((res) => res.socket))
        for (const socket of sockets) if (!busy.has(socket)) socket.destroy()
      }, headTimeoutMs)
      const forced = setTimeout(() => {
        service.log.warn({ open: inProgress.size }, 'answers in progress are cut off')
        server.closeAllConnections()
      }, drainMs)
      await closed
      clearInterval(idle)
      clearTimeout(silent)
      clearTimeout(forced)
    },
  }
}
