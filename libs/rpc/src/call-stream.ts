import { create } from '@bufbuild/protobuf'
import { Metadata, status, type Client as GrpcClient, type ServiceError } from '@grpc/grpc-js'
import { ExchangeRequestSchema, type Answer, type ExchangeResponse } from '@lettergate/contracts/rpc/v1/calls'
import { ignoring } from '@lettergate/fault'
import { untraced } from '@lettergate/service/tracing'
import { callToFrame, exchange, replyBytesMax, runningMax, type CallContent } from './frames.ts'
import type { Failure } from './wire.ts'
import { withoutStacks } from './without-stacks.ts'

/** A call that a stream carries. Either `answered` or `failed` is called, exactly once. */
export interface StreamCall extends CallContent {
  answered(reply: Uint8Array): void
  failed(failure: Failure, cause?: unknown): void
}

/** One stream to one replica, on the client's side. */
export interface CallStream {
  /** The address of the replica, when the stream is open. */
  peer(): string
  /** How many calls it can take now: none before it is open, while it writes a message, and after `retire`. */
  capacity(): number
  /** Sends these calls in one message. After this, the server may have started them. */
  send(calls: readonly StreamCall[]): void
  /** Removes a call whose caller stopped waiting. `tellServer` is false if the server's own deadline has ended the call. */
  drop(call: StreamCall, tellServer: boolean): void
  /** Refuses new calls, and ends when the calls in progress are answered. */
  retire(): void
  /** Ends at once. Calls in progress fail. */
  abandon(): void
}

export interface CallStreamEvents {
  onOpen(): void
  /** It may have capacity again. */
  onCapacity(): void
  /** The server is about to stop. This stream was retired, and a new one should replace it. */
  onDraining(): void
  onEnd(code: number): void
}

interface Running {
  call: StreamCall
  parts: Uint8Array[]
  partBytes: number
}

const lost: Failure = { code: status.UNAVAILABLE, reason: null, message: 'the stream ended' }

/** Opens a stream. It waits for its connection without a time limit. */
export function openCallStream(channel: GrpcClient, events: CallStreamEvents): CallStream {
  const running = new Map<number, Running>()
  const idOf = new Map<StreamCall, number>()
  let cancelled: number[] = []
  let lastId = 0
  let state: 'opening' | 'open' | 'retired' | 'ended' = 'opening'
  let isWriting = false

  const metadata = new Metadata({ waitForReady: true })
  // The stream carries calls of every caller, so it belongs to no trace.
  const stream = untraced(() =>
    withoutStacks(() =>
      channel.makeBidiStreamRequest(exchange.path, exchange.requestSerialize, exchange.responseDeserialize, metadata),
    ),
  )
  stream.on('metadata', () => {
    if (state !== 'opening') return
    state = 'open'
    events.onOpen()
  })
  stream.on('data', (message: ExchangeResponse) => {
    for (const answer of message.answers) take(answer)
    if (message.isDraining && state === 'open') {
      retire()
      events.onDraining()
    }
    events.onCapacity()
  })
  stream.on('error', (error) => end(error as ServiceError))
  stream.on('end', () => end())

  function end(error?: ServiceError) {
    if (state === 'ended') return
    state = 'ended'
    for (const { call } of running.values()) call.failed(lost, error)
    running.clear()
    idOf.clear()
    events.onEnd(error?.code ?? status.OK)
  }

  function settle(id: number): Running | undefined {
    const found = running.get(id)
    if (!found) return undefined
    running.delete(id)
    idOf.delete(found.call)
    return found
  }

  /** Ignores answers to calls that were dropped. An answer to an unknown call ends the stream. */
  function take({ id, outcome }: Answer) {
    if (id === 0 || id > lastId || outcome.case === undefined) return abandon()
    if (outcome.case === 'part') {
      const found = running.get(id)
      if (!found) return
      found.parts.push(outcome.value)
      found.partBytes += outcome.value.byteLength
      if (found.partBytes > replyBytesMax) abandon()
      return
    }
    const found = settle(id)
    if (!found) return
    if (outcome.case === 'failure') {
      const { code, reason = null, message } = outcome.value
      found.call.failed({ code, reason, message })
    } else
      found.call.answered(found.parts.length === 0 ? outcome.value : Buffer.concat([...found.parts, outcome.value]))
  }

  function write(calls: readonly StreamCall[]) {
    const message = create(ExchangeRequestSchema)
    message.cancelled = cancelled
    cancelled = []
    for (const call of calls) {
      lastId += 1
      running.set(lastId, { call, parts: [], partBytes: 0 })
      idOf.set(call, lastId)
      message.calls.push(callToFrame(lastId, call))
    }
    isWriting = true
    stream.write(message, (error?: Error | null) => {
      isWriting = false
      if (error) return ignoring(error, 'the end of the stream reports the same error')
      if (cancelled.length > 0) write([])
      events.onCapacity()
    })
  }

  function retire() {
    if (state === 'ended' || state === 'retired') return
    const wasOpen = state === 'open'
    state = 'retired'
    if (wasOpen) stream.end()
    else abandon()
  }

  function abandon() {
    stream.cancel()
    end()
  }

  return {
    peer: () => stream.getPeer(),
    capacity: () => (state === 'open' && !isWriting ? runningMax - running.size : 0),
    send: write,
    drop(call, tellServer) {
      const id = idOf.get(call)
      if (id === undefined) return
      settle(id)
      if (tellServer && state === 'open') {
        cancelled.push(id)
        if (!isWriting) write([])
      }
      events.onCapacity()
    },
    retire,
    abandon,
  }
}
