import { status, type Client as GrpcClient } from '@grpc/grpc-js'
import { Fault, stopping } from '@lettergate/fault'
import { frameBytes, longestTimerMs, messageBytesMax, requestBytesMax, type CallContent } from './frames.ts'
import type { CallStream, StreamCall } from './call-stream.ts'
import { openStreamPool, type StreamPool } from './stream-pool.ts'
import { plainCall } from './plain-call.ts'
import { errorOf, type Failure } from './wire.ts'

export interface CallExchangeOptions {
  target: string
  /** the name of the other side in errors */
  name: string
  openChannel: () => GrpcClient
  renewEveryMs: number
}

/** Sends calls to one other service. */
export interface CallExchange {
  /** for calls that are not unary */
  channel(): GrpcClient
  /** Sends one unary call and answers the bytes of its reply. It always settles before its deadline. */
  call(content: CallContent, signal: AbortSignal): Promise<Uint8Array>
  /** Opens another connection with the current certificate, and uses it as soon as it can take calls. */
  renew(): void
  /** Refuses new calls. Calls in progress have 10 s to end. */
  stop(): Promise<void>
}

interface QueuedCall extends StreamCall {
  /** the stream that the call was sent on */
  stream: CallStream | undefined
  sendPlain(channel: GrpcClient): void
}

interface Connection {
  channel: GrpcClient
  streams: StreamPool
}

const waitingMax = 10_000
const timedOut: Failure = { code: status.DEADLINE_EXCEEDED, reason: null, message: 'the deadline of the caller' }
const cancelled: Failure = { code: status.CANCELLED, reason: null, message: 'cancelled by the caller' }

/**
 * Sends unary calls over a few shared streams. Calls of one turn of the event loop share one message. A waiting call takes
 * the first stream that has capacity, and is never sent twice. Large requests are separate gRPC calls. If the other side
 * does not implement the exchange, every request is a separate gRPC call.
 */
export function openExchange({ target, name, openChannel, renewEveryMs }: CallExchangeOptions): CallExchange {
  const waiting = new Set<QueuedCall>()
  let connection: Connection | undefined
  let next: Connection | undefined
  let renewal: NodeJS.Timeout | undefined
  let isScheduled = false
  let stopped = false
  const retiring = new Set<Promise<void>>()

  function connect(): Connection {
    const channel = openChannel()
    return { channel, streams: openStreamPool(channel, target, schedule) }
  }
  function connected(): Connection {
    if (connection) return connection
    if (stopped) throw stopping()
    renewLater()
    return (connection = connect())
  }

  /** A new connection resolves the name again, so it finds new replicas and spreads the load over all of them. */
  function renewLater() {
    renewal = setTimeout(() => (next ??= connect()), renewEveryMs * (0.75 + Math.random() / 2)).unref()
  }

  function retire({ channel, streams }: Connection) {
    const ended: Promise<void> = streams.retire(10_000).then(() => {
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
    if (next?.streams.isSettled() && connection) {
      retire(connection)
      connection = next
      next = undefined
      renewLater()
    }
    if (waiting.size === 0) return
    const { channel, streams } = connected()
    while (waiting.size > 0) {
      const stream = streams.nextStream()
      if (!stream) break
      stream.send(take(stream))
    }
    if (waiting.size > 0 && streams.isRefused()) for (const call of waiting) call.sendPlain(channel)
  }

  function take(stream: CallStream): QueuedCall[] {
    const taken: QueuedCall[] = []
    let bytes = 0
    for (const call of waiting) {
      bytes += frameBytes + call.request.byteLength
      if (taken.length > 0 && (bytes > messageBytesMax || taken.length >= stream.capacity())) break
      taken.push(call)
    }
    for (const call of taken) {
      waiting.delete(call)
      call.stream = stream
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
        call.stream?.drop(call, failure === cancelled)
        call.failed(failure)
      }
      const call: QueuedCall = {
        ...content,
        stream: undefined,
        answered(reply) {
          settled()
          resolve(reply)
        },
        failed(failure, cause) {
          settled()
          reject(errorOf(failure, name, cause))
        },
        sendPlain(channel) {
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
      const { channel, streams } = connected()
      if (content.request.byteLength > requestBytesMax || streams.isRefused())
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
