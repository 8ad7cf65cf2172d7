import { status, type Client as GrpcClient } from '@grpc/grpc-js'
import { Fault } from '@lettergate/fault'
import { frameBytes, messageBytesMax, requestBytesMax, type CallContent } from './frames.ts'
import type { Line, LineCall } from './line.ts'
import { openLines, type Lines } from './lines.ts'
import { plainCall } from './plain-call.ts'
import { errorOf, type Failure } from './wire.ts'

export interface ExchangeOptions {
  target: string
  /** what to call the other side in an error */
  name: string
  openChannel: () => GrpcClient
  renewEveryMs: number
}

/** The way to one other service. */
export interface Exchange {
  /** for what is no unary call */
  channel(): GrpcClient
  /** One unary call, from its bytes to the reply's. Settles by its deadline, whatever happens. */
  call(content: CallContent, signal: AbortSignal): Promise<Uint8Array>
  /** Opens another connection, with the certificate of now, and moves to it as soon as calls can go there. */
  renew(): void
  /** Takes no more calls; those under way end by themselves, within 10 s. */
  stop(): Promise<void>
}

interface Waiting extends LineCall {
  /** the one that it was sent by */
  line: Line | undefined
  goPlain(channel: GrpcClient): void
}

interface Connection {
  channel: GrpcClient
  lines: Lines
}

const waitingMax = 10_000
const longestTimerMs = 2 ** 31 - 1
const timedOut: Failure = { code: status.DEADLINE_EXCEEDED, reason: null, message: 'the deadline of the caller' }
const stopping = () => new Fault('unavailable', 'stopping', 'This server is about to stop. Send the request again.')
const cancelled: Failure = { code: status.CANCELLED, reason: null, message: 'cancelled by the caller' }

/**
 * Carries unary calls over few streams, what comes in one turn of the event loop as one message. A call that waits for a
 * stream goes by whichever has room first; one that was sent is never sent again. Large requests, and all of them while the
 * other side does not know the exchange, go as calls of their own.
 */
export function openExchange({ target, name, openChannel, renewEveryMs }: ExchangeOptions): Exchange {
  const waiting = new Set<Waiting>()
  let connection: Connection | undefined
  let next: Connection | undefined
  let renewal: NodeJS.Timeout | undefined
  let isScheduled = false
  let stopped = false
  const retiring = new Set<Promise<void>>()

  function connect(): Connection {
    const channel = openChannel()
    return { channel, lines: openLines(channel, target, schedule) }
  }
  function connected(): Connection {
    if (connection) return connection
    if (stopped) throw stopping()
    renewLater()
    return (connection = connect())
  }

  /** New replicas are found and the load is spread again: by a look at the name, at a time of our own. */
  function renewLater() {
    renewal = setTimeout(() => (next ??= connect()), renewEveryMs * (0.75 + Math.random() / 2)).unref()
  }

  function retire({ channel, lines }: Connection) {
    const ended: Promise<void> = lines.retire(10_000).then(() => {
      channel.close()
      retiring.delete(ended)
    })
    retiring.add(ended)
  }

  function schedule() {
    if (isScheduled || (waiting.size === 0 && !next)) return
    isScheduled = true
    setImmediate(flush)
  }

  function flush() {
    isScheduled = false
    if (stopped) return
    if (next?.lines.isSettled() && connection) {
      retire(connection)
      connection = next
      next = undefined
      renewLater()
    }
    if (waiting.size === 0) return
    const { channel, lines } = connected()
    while (waiting.size > 0) {
      const line = lines.next()
      if (!line) break
      line.send(take(line))
    }
    if (waiting.size > 0 && lines.isRefused()) for (const call of waiting) call.goPlain(channel)
  }

  function take(line: Line): Waiting[] {
    const taken: Waiting[] = []
    let bytes = 0
    for (const call of waiting) {
      bytes += frameBytes + call.request.byteLength
      if (taken.length > 0 && (bytes > messageBytesMax || taken.length >= line.room())) break
      taken.push(call)
    }
    for (const call of taken) {
      waiting.delete(call)
      call.line = line
    }
    return taken
  }

  function queued(content: CallContent, signal: AbortSignal): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const settled = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        waiting.delete(call)
      }
      const giveUp = (failure: Failure) => {
        call.line?.forget(call, failure === cancelled)
        call.failed(failure)
      }
      const call: Waiting = {
        ...content,
        line: undefined,
        answered(reply) {
          settled()
          resolve(reply)
        },
        failed(failure, cause) {
          settled()
          reject(errorOf(failure, name, cause))
        },
        goPlain(channel) {
          settled()
          plainCall(channel, name, content, signal).then(resolve, reject)
        },
      }
      const onAbort = () => giveUp(cancelled)
      const timer = setTimeout(() => giveUp(timedOut), Math.min(content.deadline - Date.now(), longestTimerMs))
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.add(call)
      schedule()
    })
  }

  return {
    channel: () => connected().channel,
    async call(content, signal) {
      if (signal.aborted) throw errorOf(cancelled, name)
      if (content.deadline <= Date.now()) throw errorOf(timedOut, name)
      if (stopped) throw stopping()
      const { channel, lines } = connected()
      if (content.request.byteLength > requestBytesMax || lines.isRefused())
        return plainCall(channel, name, content, signal)
      if (waiting.size >= waitingMax)
        throw new Fault('unavailable', name, 'More requests arrive than can be carried out. Try again in a moment.')
      return queued(content, signal)
    },
    renew() {
      if (!connection || stopped) return
      clearTimeout(renewal)
      if (next) retire(next)
      next = connect()
    },
    async stop() {
      stopped = true
      clearTimeout(renewal)
      for (const call of waiting) call.failed(cancelled)
      if (connection) retire(connection)
      if (next) retire(next)
      await Promise.all(retiring)
    },
  }
}
