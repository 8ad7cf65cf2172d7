import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import type { Part, Service } from '@lettergate/service'
import { errorPage } from './error-page.ts'

const drainMs = 15_000
// How long a connection may go on without having sent a whole request head.
const lingerMs = 1_000

/** What Node's parser refuses never reaches the app; it is a page too. */
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

/**
 * Listens and answers the port, or throws when it cannot. Stopping takes no new connection, lets answers under way
 * finish (15 s at most), and closes keep-alive connections as they fall idle.
 */
export async function listenHttp(service: Service, app: Express, port: number): Promise<Part & { port: number }> {
  const underWay = new Set<ServerResponse>()
  const sockets = new Set<Socket>()
  let draining = false
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 15_000, keepAliveTimeout: 75_000 })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    underWay.add(res)
    if (draining) res.setHeader('Connection', 'close')
    res.once('close', () => underWay.delete(res))
    app(req, res)
  })
  // Only 100-continue is known; anything else is passed on, and answered without the expectation.
  server.on('checkExpectation', (req, res) => void server.emit('request', req, res))
  server.on('clientError', refuse)
  server.listen(port, service.bindAddress)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      draining = true
      for (const res of underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
      const closed = once(server, 'close')
      server.close()
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      const silent = setTimeout(() => {
        const busy = new Set([...underWay].map((res) => res.socket))
        for (const socket of sockets) if (!busy.has(socket)) socket.destroy()
      }, lingerMs)
      const forced = setTimeout(() => {
        service.log.warn({ open: underWay.size }, 'answers still under way are cut')
        server.closeAllConnections()
      }, drainMs)
      await closed
      clearInterval(idle)
      clearTimeout(silent)
      clearTimeout(forced)
    },
  }
}
