import type { Socket } from 'node:net'
import { openBody, type Body } from './body.ts'
import { forwardedRequest, forwardedResponse } from './forwarded.ts'
import { readResponseHead, valueOf, type RequestHead } from './head.ts'
import type { Upstream } from './upstream.ts'

export interface ExchangeOptions {
  upstream: Upstream
  client: Socket
  head: RequestHead
  connectTimeoutMs: number
  answerTimeoutMs: number
  /** The answer has gone out whole; `isLast` when the connection has to end with it. */
  onEnd: (isLast: boolean) => void
  /** There is no answer, and none of it has gone out. */
  onRefused: (status: 400 | 502 | 503 | 504) => void
}

/** One request and its answer, whose bytes pass as they come: only the heads are read, and where the bodies end. */
export interface Exchange {
  /** Passes on what the caller sends; answers how many bytes belonged to the request. */
  push(piece: Buffer): number
  isSent(): boolean
  /** The caller went away. */
  abandon(): void
}

const headBytesMax = 65_536
const headEnd = Buffer.from('\r\n\r\n')

export function openExchange(options: ExchangeOptions): Exchange {
  const { upstream, client, head, onEnd, onRefused } = options
  const socket = upstream.take()
  const request = openBody(head.framing)
  let unsent = forwardedRequest(head, client.remoteAddress ?? '')
  let unread: Buffer | undefined
  let response: Body | undefined
  let isLast = false
  let isReusable = false
  let isOver = false
  let isConnected = !socket.connecting
  let isUntilClose = false
  const timer = setTimeout(() => giveUp(504), options.answerTimeoutMs)
  const connecting = isConnected ? undefined : setTimeout(() => giveUp(503), options.connectTimeoutMs)

  const onConnect = () => {
    isConnected = true
    clearTimeout(connecting)
  }
  const onDrain = () => client.resume()
  const onClientDrain = () => socket.resume()
  const onError = () => giveUp(isConnected ? 502 : 503)
  const onClose = () => {
    if (response && isUntilClose) finish()
    else giveUp(isConnected ? 502 : 503)
  }

  function release() {
    isOver = true
    clearTimeout(timer)
    clearTimeout(connecting)
    socket.off('connect', onConnect)
    socket.off('data', onData)
    socket.off('drain', onDrain)
    socket.off('error', onError)
    socket.off('close', onClose)
    client.off('drain', onClientDrain)
  }

  function finish() {
    if (isOver) return
    release()
    if (isReusable && request.isComplete()) {
      socket.resume()
      upstream.giveBack(socket)
    } else socket.destroy()
    onEnd(isLast)
  }

  function giveUp(status: 400 | 502 | 503 | 504) {
    if (isOver) return
    release()
    socket.destroy()
    if (response) client.destroy()
    else onRefused(status)
  }

  /** Passes on the head of an answer and what came with it; informational ones stay here. */
  function onHead(piece: Buffer) {
    unread = unread ? Buffer.concat([unread, piece]) : piece
    for (;;) {
      const end = unread.indexOf(headEnd)
      if (end === -1) return unread.length > headBytesMax ? giveUp(502) : undefined
      const answer = readResponseHead(unread.toString('latin1', 0, end), head.method)
      if (!answer) return giveUp(502)
      unread = unread.subarray(end + headEnd.length)
      if (answer.status < 200) continue
      clearTimeout(timer)
      isUntilClose = answer.framing.kind === 'until close'
      isReusable = !answer.isLast
      // What is left of a request that was answered early would be taken for the next one.
      isLast = isUntilClose || head.version === '1.0' || asksToClose(head) || !request.isComplete()
      response = openBody(answer.framing)
      return passBack(unread, forwardedResponse(answer, isLast))
    }
  }

  function passBack(piece: Buffer, before = '') {
    let taken: number
    try {
      taken = response!.take(piece)
    } catch {
      return giveUp(502)
    }
    const body = taken === piece.length ? piece : piece.subarray(0, taken)
    if (taken < piece.length) isReusable = false
    const bytes = before === '' ? body : Buffer.concat([Buffer.from(before, 'latin1'), body])
    if (!client.write(bytes) && !response!.isComplete()) socket.pause()
    if (response!.isComplete()) finish()
  }

  function onData(piece: Buffer) {
    if (response) passBack(piece)
    else onHead(piece)
  }

  socket.on('connect', onConnect)
  socket.on('data', onData)
  socket.on('drain', onDrain)
  socket.on('error', onError)
  socket.on('close', onClose)
  client.on('drain', onClientDrain)
  return {
    push(piece) {
      let taken: number
      try {
        taken = request.take(piece)
      } catch {
        giveUp(400)
        return piece.length
      }
      const body = taken === piece.length ? piece : piece.subarray(0, taken)
      const bytes = unsent === '' ? body : Buffer.concat([Buffer.from(unsent, 'latin1'), body])
      unsent = ''
      if (bytes.length > 0 && !socket.write(bytes) && !request.isComplete()) client.pause()
      return taken
    },
    isSent: () => request.isComplete(),
    abandon() {
      if (isOver) return
      release()
      socket.destroy()
    },
  }
}

const asksToClose = ({ headers }: RequestHead) =>
  (valueOf(headers, 'connection')?.toLowerCase() ?? '').split(/\s*,\s*/).includes('close')
