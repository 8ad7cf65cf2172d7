import { create } from '@bufbuild/protobuf'
import { Metadata, status, type Client as GrpcClient, type ServiceError } from '@grpc/grpc-js'
import { ExchangeRequestSchema, type Answer, type ExchangeResponse } from '@lettergate/contracts/rpc/v1/calls'
import { ignoring } from '@lettergate/fault'
import { untraced } from '@lettergate/service/tracing'
import { callToFrame, exchange, replyBytesMax, runningMax, type CallContent } from './frames.ts'
import type { Failure } from './wire.ts'
import { withoutStacks } from './without-stacks.ts'

/** A call that goes by a line, and what becomes of it: exactly one of both, once. */
export interface LineCall extends CallContent {
  answered(reply: Uint8Array): void
  failed(failure: Failure, cause?: unknown): void
}

/** One stream to one replica, as its client sees it. */
export interface Line {
  /** The address that it leads to, once it is open. */
  peer(): string
  /** How many calls it takes now: none before it is open, while a message is on its way, and after it was retired. */
  room(): number
  /** Sends these calls in one message. From here on nobody can know whether the other side has begun with them. */
  send(calls: readonly LineCall[]): void
  /** The caller does not wait any more; the server is told so, unless it knows by its own clock. */
  forget(call: LineCall, tellServer: boolean): void
  /** Takes no more calls; ends when those under way are answered. */
  retire(): void
  /** Ends now; what is under way fails. */
  abandon(): void
}

export interface LineEvents {
  onOpen(): void
  /** There may be room again. */
  onRoom(): void
  /** The server is about to stop: this line was retired, and another should take its place. */
  onDraining(): void
  onEnd(code: number): void
}

interface Running {
  call: LineCall
  parts: Uint8Array[]
  partBytes: number
}

const lost: Failure = { code: status.UNAVAILABLE, reason: null, message: 'the stream ended' }

/** Opens a stream, which waits for its connection for as long as it takes. */
export function openLine(channel: GrpcClient, events: LineEvents): Line {
  const running = new Map<number, Running>()
  const idOf = new Map<LineCall, number>()
  let cancelled: number[] = []
  let lastId = 0
  let state: 'opening' | 'open' | 'retired' | 'ended' = 'opening'
  let isWriting = false

  const metadata = new Metadata({ waitForReady: true })
  // It serves every caller, and belongs to the trace of none.
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
    events.onRoom()
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

  /** Answers to calls that nobody waits for any more are left aside; one to a call that never was ends the stream. */
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

  function write(calls: readonly LineCall[]) {
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
      if (error) return ignoring(error, 'the end of the stream says so too')
      if (cancelled.length > 0) write([])
      events.onRoom()
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
    room: () => (state === 'open' && !isWriting ? runningMax - running.size : 0),
    send: write,
    forget(call, tellServer) {
      const id = idOf.get(call)
      if (id === undefined) return
      settle(id)
      if (tellServer && state === 'open') {
        cancelled.push(id)
        if (!isWriting) write([])
      }
      events.onRoom()
    },
    retire,
    abandon,
  }
}
