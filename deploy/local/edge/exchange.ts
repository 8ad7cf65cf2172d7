import type { Socket } from 'node:net'
import type { Balancer } from './balancer.ts'
import { openBody, type Body } from './body.ts'
import { forwardedRequest, forwardedResponse } from './forwarded.ts'
import { readResponseHead, valueOf, type RequestHead } from './head.ts'
import type { UpstreamConnection, AnswerReceiver, Upstream } from './upstream.ts'

export interface ForwardOptions {
  replicas: Balancer
  client: Socket
  head: RequestHead
  connectTimeoutMs: number
  answerTimeoutMs: number
  /** The answer was sent completely; `isLast` when the connection must end after it. */
  onEnd: (isLast: boolean) => void
  /** There is no answer, and no byte of one was sent. */
  onRefused: (status: 400 | 502 | 503 | 504) => void
}

/** One request and its answer, which are copied as they arrive: only the heads are parsed, and the ends of the bodies found. */
export interface ForwardedRequest {
  /** Forwards bytes of the caller; returns how many of them belonged to the request. */
  push(piece: Buffer): number
  isSent(): boolean
  /** The caller takes more of the answer. */
  onClientDrain(): void
  /** The caller disconnected. */
  abandon(): void
}

const headBytesMax = 65_536
const headEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

/** A head and bytes after it in one buffer, for one write. */
function joined(head: string, body: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, 0, 'latin1')
  body.copy(bytes, head.length)
  return bytes
}

export const openExchange = (options: ForwardOptions): ForwardedRequest => new Exchange(options)

/** A class, because a closure for each function is slow to create, and there is one exchange for each request. */
class Exchange implements ForwardedRequest, AnswerReceiver {
  readonly #options: ForwardOptions
  /** the replicas that were chosen, the current one last */
  readonly #tried = new Set<Upstream>()
  #upstream!: Upstream
  #connection!: UpstreamConnection
  readonly #request: Body
  readonly #timer: NodeJS.Timeout
  #connecting: NodeJS.Timeout | undefined
  /** the head of the request, until it is sent */
  #unsent: string
  /** bytes of the request that no connection has taken yet */
  #held: Buffer[] = []
  /** an incomplete head of the answer */
  #unread = none
  #response: Body | undefined
  #isConnected = false
  #isUntilClose = false
  #isReusable = false
  #isLast = false
  #isOver = false
  /** the service is not read, because the caller does not take the answer as fast */
  #isHeld = false

  constructor(options: ForwardOptions) {
    const { replicas, client, head, answerTimeoutMs } = options
    this.#options = options
    this.#request = openBody(head.framing)
    this.#unsent = forwardedRequest(head, client.remoteAddress ?? '')
    this.#timer = setTimeout(() => this.#giveUp(504), answerTimeoutMs)
    this.#connect(replicas.next(this.#tried)!)
  }

  #connect(upstream: Upstream): void {
    this.#tried.add(upstream)
    this.#upstream = upstream
    this.#connection = upstream.take(this)
    this.#isConnected = !this.#connection.socket.connecting
    if (this.#isConnected) this.#held = []
    else this.#connecting = setTimeout(() => this.#tryAnother(), this.#options.connectTimeoutMs)
  }

  /** No connection was opened, so the service has no byte of the request, and another replica may have it. */
  #tryAnother(): void {
    if (this.#isOver) return
    clearTimeout(this.#connecting)
    this.#options.replicas.refused(this.#upstream)
    const other = this.#options.replicas.next(this.#tried)
    if (!other) return this.#giveUp(503)
    this.#connection.receiver = undefined
    this.#connection.socket.destroy()
    const held = this.#held
    this.#connect(other)
    let isTaken = true
    for (const bytes of held) isTaken = this.#connection.socket.write(bytes)
    if (isTaken) this.#options.client.resume()
  }

  push(piece: Buffer): number {
    let taken: number
    try {
      taken = this.#request.take(piece)
    } catch {
      this.#giveUp(400)
      return piece.length
    }
    const body = taken === piece.length ? piece : piece.subarray(0, taken)
    const bytes = this.#unsent === '' ? body : joined(this.#unsent, body)
    // a large body takes longer than an answer
    if (this.#unsent === '' && !this.#response && !this.#isOver) this.#timer.refresh()
    this.#unsent = ''
    if (!this.#isConnected) this.#held.push(bytes)
    if (bytes.length > 0 && !this.#connection.socket.write(bytes) && !this.#request.isComplete())
      this.#options.client.pause()
    return taken
  }

  isSent(): boolean {
    return this.#request.isComplete()
  }

  abandon(): void {
    if (this.#isOver) return
    this.#release()
    this.#connection.socket.destroy()
  }

  onConnect(): void {
    this.#isConnected = true
    this.#held = []
    clearTimeout(this.#connecting)
  }

  onDrain(): void {
    this.#options.client.resume()
  }

  onClientDrain(): void {
    if (!this.#isHeld || this.#isOver) return
    this.#isHeld = false
    this.#connection.socket.resume()
  }

  onClose(): void {
    if (this.#response && this.#isUntilClose) this.#finish()
    else if (this.#isConnected) this.#giveUp(502)
    else this.#tryAnother()
  }

  onData(piece: Buffer): void {
    if (this.#response) this.#passBack(piece, '')
    else this.#onHead(piece)
  }

  #release(): void {
    this.#isOver = true
    this.#connection.receiver = undefined
    clearTimeout(this.#timer)
    clearTimeout(this.#connecting)
  }

  #finish(): void {
    if (this.#isOver) return
    this.#release()
    if (this.#isReusable && this.#request.isComplete()) {
      if (this.#isHeld) this.#connection.socket.resume()
      this.#upstream.giveBack(this.#connection)
    } else this.#connection.socket.destroy()
    this.#options.onEnd(this.#isLast)
  }

  #giveUp(status: 400 | 502 | 503 | 504): void {
    if (this.#isOver) return
    this.#release()
    this.#connection.socket.destroy()
    if (this.#response) this.#options.client.destroy()
    else this.#options.onRefused(status)
  }

  /** Forwards the head of an answer and the bytes after it; informational answers are dropped. */
  #onHead(piece: Buffer): void {
    const { head } = this.#options
    let unread = this.#unread.length === 0 ? piece : Buffer.concat([this.#unread, piece])
    for (;;) {
      const end = unread.indexOf(headEnd)
      if (end === -1) {
        if (unread.length > headBytesMax) return this.#giveUp(502)
        this.#unread = Buffer.from(unread)
        return
      }
      const answer = readResponseHead(unread.toString('latin1', 0, end), head.method)
      if (!answer) return this.#giveUp(502)
      unread = unread.subarray(end + headEnd.length)
      if (answer.status < 200) continue
      clearTimeout(this.#timer)
      this.#unread = none
      this.#isUntilClose = answer.framing.kind === 'until close'
      this.#isReusable = !answer.isLast
      // The rest of a request that was answered early would be read as the next request.
      this.#isLast = this.#isUntilClose || head.version === '1.0' || asksToClose(head) || !this.#request.isComplete()
      this.#response = openBody(answer.framing)
      return this.#passBack(unread, forwardedResponse(answer, this.#isLast))
    }
  }

  #passBack(piece: Buffer, before: string): void {
    const response = this.#response!
    let taken: number
    try {
      taken = response.take(piece)
    } catch {
      return this.#giveUp(502)
    }
    const body = taken === piece.length ? piece : piece.subarray(0, taken)
    if (taken < piece.length) this.#isReusable = false
    const isTaken = this.#options.client.write(joined(before, body))
    if (response.isComplete()) return this.#finish()
    if (isTaken) return
    this.#isHeld = true
    this.#connection.socket.pause()
  }
}

const asksToClose = ({ headers }: RequestHead) => {
  const connection = valueOf(headers, 'connection')
  return (
    connection !== undefined &&
    connection
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes('close')
  )
}
