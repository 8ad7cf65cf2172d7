import { create } from '@bufbuild/protobuf'
import { Metadata, status, type ServerDuplexStream } from '@grpc/grpc-js'
import {
  AnswerSchema,
  ExchangeResponseSchema,
  type Answer,
  type Call,
  type ExchangeRequest,
  type ExchangeResponse,
} from '@lettergate/contracts/rpc/v1/calls'
import { Fault } from '@lettergate/fault'
import type { CallScope } from '@lettergate/service'
import type { Carrier } from '@lettergate/service/tracing'
import { callerFromFrame, frameBytes, longestTimerMs, messageBytesMax, replyBytesMax, runningMax } from './frames.ts'
import type { Peer } from './peers.ts'
import { failureOf, type Failure } from './wire.ts'

/** One method: takes the bytes of a request and answers the bytes of the reply. */
export type ServedMethod = (peer: Peer, scope: CallScope, trace: Carrier, request: Uint8Array) => Promise<Uint8Array>

export interface ExchangeServer {
  methodOf: (name: string) => ServedMethod | undefined
  /** the service that opened the stream and makes every call on it */
  peerOf: (stream: ExchangeStream) => Peer
}

export type ExchangeStream = ServerDuplexStream<ExchangeRequest, ExchangeResponse>

/** The server side of all exchange streams. */
export interface ServedExchange {
  handle: (stream: ExchangeStream) => void
  /** Asks clients to send no more calls. Each stream ends after its calls are answered. */
  drain(): void
}

const unknownMethod: Failure = { code: status.UNIMPLEMENTED, reason: null, message: 'there is no such method' }
const tooLarge: Failure = { code: status.RESOURCE_EXHAUSTED, reason: null, message: 'the reply is larger than 16 MiB' }

const traceOf = ({ traceparent, tracestate }: Call): Carrier => {
  if (traceparent === '') return {}
  return tracestate === '' ? { traceparent } : { traceparent, tracestate }
}

export function servedExchange(server: ExchangeServer): ServedExchange {
  const streams = new Map<ExchangeStream, () => void>()
  let isDraining = false
  return {
    handle(stream) {
      if (isDraining) {
        stream.emit('error', { code: status.UNAVAILABLE, details: 'this server is about to stop' })
        return
      }
      streams.set(
        stream,
        serveStream(stream, server, () => streams.delete(stream)),
      )
    },
    drain() {
      isDraining = true
      for (const drain of streams.values()) drain()
    },
  }
}

/**
 * Runs the calls of one stream independently of each other. Answers of one turn of the event loop share one message. A large
 * reply is sent in parts, with small replies between them. Returns the function that drains the stream.
 */
function serveStream(stream: ExchangeStream, { methodOf, peerOf }: ExchangeServer, onEnd: () => void): () => void {
  const peer = peerOf(stream)
  const running = new Map<number, { aborter: AbortController; timer: NodeJS.Timeout }>()
  const small: Answer[] = []
  const large: { id: number; reply: Uint8Array; sent: number }[] = []
  let lastId = 0
  let isWriting = false
  let isScheduled = false
  let state: 'open' | 'finishing' | 'ended' = 'open'

  stream.on('data', (message: ExchangeRequest) => {
    for (const id of message.cancelled) drop(id, 'cancelled')
    for (const call of message.calls) {
      if (state === 'ended') return
      if (call.id <= lastId || call.caller === undefined) return refuse()
      lastId = call.id
      void runCall(call)
    }
    if (pending() > 2 * runningMax) stream.pause()
  })
  stream.on('end', () => {
    if (state === 'open') state = 'finishing'
    schedule()
  })
  stream.on('cancelled', close)
  stream.on('error', close)
  // Tells the client that its stream is open.
  stream.sendMetadata(new Metadata())

  const pending = () => running.size + small.length + large.length

  function close() {
    if (state === 'ended') return
    state = 'ended'
    for (const id of running.keys()) drop(id, 'cancelled')
    small.length = 0
    large.length = 0
    onEnd()
  }

  function refuse() {
    stream.emit('error', { code: status.INVALID_ARGUMENT, details: 'a frame does not match calls.proto' })
  }

  function settle(id: number) {
    const found = running.get(id)
    if (!found) return undefined
    running.delete(id)
    clearTimeout(found.timer)
    return found
  }

  /** Aborts a call whose caller stopped waiting, and discards its answer. */
  function drop(id: number, reason: string) {
    const found = settle(id)
    if (!found) return
    found.aborter.abort(new Fault('unavailable', reason, 'The caller stopped waiting.'))
    resumeIfPossible()
  }

  async function runCall(call: Call) {
    const { id, method: name, request, timeoutMs } = call
    const method = methodOf(name)
    if (!method) return fail(id, unknownMethod)
    const aborter = new AbortController()
    running.set(id, { aborter, timer: setTimeout(() => drop(id, 'deadline'), Math.min(timeoutMs, longestTimerMs)) })
    const scope = { caller: callerFromFrame(call.caller!), signal: aborter.signal, deadline: Date.now() + timeoutMs }
    try {
      const reply = await method(peer, scope, traceOf(call), request)
      if (!settle(id)) return
      if (reply.byteLength > replyBytesMax) fail(id, tooLarge)
      else if (reply.byteLength > messageBytesMax) large.push({ id, reply, sent: 0 })
      else small.push(create(AnswerSchema, { id, outcome: { case: 'reply', value: reply } }))
    } catch (error) {
      if (settle(id)) fail(id, failureOf(error))
    } finally {
      schedule()
    }
  }

  function fail(id: number, { code, reason, message }: Failure) {
    const value = reason === null ? { code, message } : { code, reason, message }
    small.push(create(AnswerSchema, { id, outcome: { case: 'failure', value } }))
    schedule()
  }

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    setImmediate(flush)
  }

  function flush() {
    isScheduled = false
    if (isWriting || state === 'ended') return
    const message = create(ExchangeResponseSchema)
    let bytes = 0
    let count = 0
    for (const answer of small) {
      bytes += frameBytes + (answer.outcome.case === 'reply' ? answer.outcome.value.byteLength : 0)
      if (count > 0 && bytes > messageBytesMax) break
      count += 1
    }
    message.answers = small.splice(0, count)
    const piece = large.shift()
    if (piece) message.answers.push(nextPart(piece))
    if (message.answers.length > 0) write(message)
    else if (state === 'finishing' && running.size === 0) {
      close()
      stream.end()
    }
  }

  function nextPart(piece: { id: number; reply: Uint8Array; sent: number }): Answer {
    const { id, reply, sent } = piece
    const value = reply.subarray(sent, sent + messageBytesMax)
    piece.sent += value.byteLength
    const isLast = piece.sent === reply.byteLength
    if (!isLast) large.push(piece)
    return create(AnswerSchema, { id, outcome: { case: isLast ? 'reply' : 'part', value } })
  }

  function write(message: ExchangeResponse) {
    isWriting = true
    stream.write(message, () => {
      isWriting = false
      resumeIfPossible()
      flush()
    })
  }

  function resumeIfPossible() {
    if (stream.isPaused() && pending() <= runningMax) stream.resume()
  }

  return () => void stream.write(create(ExchangeResponseSchema, { isDraining: true }))
}
