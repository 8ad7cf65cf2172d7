import type { Socket } from 'node:net'
import type { Balancer } from './balancer.ts'
import { errorAnswer } from './error-page.ts'
import { openExchange, type ForwardedRequest } from './exchange.ts'
import { readRequestHead, valueOf, type RequestHead } from './head.ts'

export interface Routes {
  replicasFor: (path: string) => Balancer
  connectTimeoutMs: number
  answerTimeoutMs: number
}

const headBytesMax = 32_768
const idleMs = 65_000
/** how long the edge reads the rest of a refused request, so that the client sees the error page */
const lingerMs = 10_000
const headEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

/** Answers the requests of one connection in their order. */
export function serveClient(client: Socket, routes: Routes): void {
  let unread: Buffer = none
  let exchange: ForwardedRequest | undefined
  let isOver = false

  client.setTimeout(idleMs)
  client.on('timeout', () => {
    if (exchange) return
    if (unread.length > 0) refuse(408)
    else client.destroy()
  })
  client.on('error', () => client.destroy())
  client.on('close', () => exchange?.abandon())
  client.on('end', () => exchange?.abandon())
  client.on('drain', () => exchange?.onClientDrain())
  client.on('data', (piece: Buffer) => {
    if (isOver) return
    unread = unread.length === 0 ? piece : Buffer.concat([unread, piece])
    advance()
  })

  function advance() {
    while (!isOver && unread.length > 0) {
      if (!exchange && !begin()) return
      if (isOver || !exchange) continue
      if (exchange.isSent()) return void client.pause()
      const piece = unread
      unread = none
      const taken = exchange.push(piece)
      if (taken < piece.length) unread = Buffer.concat([piece.subarray(taken), unread])
    }
  }

  /** Starts the next request; returns false while its head is incomplete. */
  function begin(): boolean {
    let start = 0
    while (unread[start] === 13 && unread[start + 1] === 10) start += 2 // empty lines before a request mean nothing
    const end = unread.indexOf(headEnd, start)
    if (end === -1 || end - start > headBytesMax) {
      if (unread.length - start > headBytesMax) refuse(431)
      else if (!mayBegin(unread.subarray(start))) refuse(400)
      return false
    }
    const head = readRequestHead(unread.toString('latin1', start, end))
    unread = unread.subarray(end + headEnd.length)
    if (!head) {
      refuse(400)
      return false
    }
    if (valueOf(head.headers, 'expect')?.toLowerCase() === '100-continue') client.write('HTTP/1.1 100 Continue\r\n\r\n')
    exchange = open(head)
    const piece = unread
    unread = none
    const taken = exchange?.push(piece) ?? 0
    unread = taken === piece.length ? unread : piece.subarray(taken)
    return true
  }

  function open(head: RequestHead): ForwardedRequest {
    return openExchange({
      replicas: routes.replicasFor(head.path),
      client,
      head,
      connectTimeoutMs: routes.connectTimeoutMs,
      answerTimeoutMs: routes.answerTimeoutMs,
      onEnd(isLast) {
        exchange = undefined
        if (isLast) return leave()
        if (client.isPaused()) client.resume()
        if (unread.length > 0) advance()
      },
      onRefused(status) {
        exchange = undefined
        refuse(status, valueOf(head.headers, 'x-correlation-id'))
      },
    })
  }

  function refuse(status: number, correlationId?: string) {
    client.write(errorAnswer(status, correlationId))
    leave()
  }

  /** Ends the answers, and reads on for a while: a caller that is still writing would otherwise see a reset instead of the answer. */
  function leave() {
    isOver = true
    unread = none
    client.end()
    client.resume()
    const linger = setTimeout(() => client.destroy(), lingerMs).unref()
    client.once('close', () => clearTimeout(linger))
  }
}

/** Whether these bytes can become a request; a complete line is checked completely. */
function mayBegin(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, 64)
  return /^[A-Z-]*(?: |$)/.test(text)
}
