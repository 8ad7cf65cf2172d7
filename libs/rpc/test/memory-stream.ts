import { create } from '@bufbuild/protobuf'
import { status, type Client as GrpcClient, type ServiceError } from '@grpc/grpc-js'
import { EventEmitter } from 'node:events'
import {
  ExchangeRequestSchema,
  ExchangeResponseSchema,
  type AnswerSchema,
  type ExchangeRequest,
  type ExchangeResponse,
} from '@lettergate/contracts/rpc/v1/calls'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { systemCaller } from '@lettergate/service'
import type { CallContent } from '../src/frames.ts'
import type { ExchangeStream } from '../src/serve-exchange.ts'

type Written = (error?: Error) => void

/** What both ends have in common: messages that are written, each under way until `sent()` says that it left. */
class Ended<Message> extends EventEmitter {
  readonly written: Message[] = []
  /** messages leave at once, unless this is false */
  isFast = true
  hasEnded = false
  #leaving: Written[] = []

  write(message: Message, done: Written = () => undefined): boolean {
    this.written.push(message)
    this.#leaving.push(done)
    if (this.isFast) setImmediate(() => this.sent())
    return true
  }
  /** Every message that is under way has left. */
  sent(): void {
    for (const done of this.#leaving.splice(0)) done()
  }
  end(): void {
    this.hasEnded = true
  }
}

/** The server's end of a stream of calls, without a network. */
export class ServerEnd extends Ended<ExchangeResponse> {
  headersSent = 0
  #isPaused = false

  sendMetadata(): void {
    this.headersSent += 1
  }
  pause(): void {
    this.#isPaused = true
  }
  resume(): void {
    this.#isPaused = false
  }
  isPaused(): boolean {
    return this.#isPaused
  }
  get stream(): ExchangeStream {
    return this as unknown as ExchangeStream
  }
  /** What the client sends. */
  receive(message: MessageInitShape<typeof ExchangeRequestSchema>): void {
    this.emit('data', create(ExchangeRequestSchema, message))
  }
}

/** The client's end of a stream of calls, without a network. */
export class ClientEnd extends Ended<ExchangeRequest> {
  isCancelled = false
  readonly peer: string

  constructor(peer: string) {
    super()
    this.peer = peer
  }
  getPeer(): string {
    return this.peer
  }
  cancel(): void {
    this.isCancelled = true
  }
  /** The server says that the stream is open. */
  open(): void {
    this.emit('metadata')
  }
  /** What the server sends. */
  receive(message: MessageInitShape<typeof ExchangeResponseSchema>): void {
    this.emit('data', create(ExchangeResponseSchema, message))
  }
  answer(...answers: MessageInitShape<typeof AnswerSchema>[]): void {
    this.receive({ answers })
  }
  reply(id: number, text = `reply ${id}`): void {
    this.answer({ id, outcome: { case: 'reply', value: Buffer.from(text) } })
  }
  breakOff(code: number = status.UNAVAILABLE): void {
    this.emit('error', Object.assign(new Error('broken'), { code }) as ServiceError)
  }
  /** Of every message, the calls that it carried. */
  get calls() {
    return this.written.flatMap(({ calls }) => calls)
  }
}

interface PlainRequest {
  method: string
  bytes: Buffer
}

/** A channel whose streams are kept in the order in which they were opened, each to the next address. */
export function memoryChannel(addresses: readonly string[] = ['10.0.0.1:1']) {
  const streams: ClientEnd[] = []
  const plain: PlainRequest[] = []
  let isClosed = false
  const channel = {
    makeBidiStreamRequest() {
      const stream = new ClientEnd(addresses[streams.length % addresses.length]!)
      streams.push(stream)
      return stream
    },
    makeUnaryRequest(
      path: string,
      _encode: unknown,
      _decode: unknown,
      bytes: Buffer,
      _metadata: unknown,
      _options: unknown,
      done: (error: null, reply: Buffer) => void,
    ) {
      plain.push({ method: path.slice(1), bytes })
      setImmediate(() => done(null, Buffer.from(`plain ${bytes.toString('utf8', 0, 20)}`)))
      return { cancel: () => undefined }
    },
    close: () => void (isClosed = true),
  }
  return { channel: channel as unknown as GrpcClient, streams, plain, isClosed: () => isClosed }
}

const caller = systemCaller('test', 'corr-12345678')

/** A call of this text, with a minute of time. */
export const contentOf = (text: string | Buffer, more: Partial<CallContent> = {}): CallContent => ({
  method: 'lettergate.x.v1.X/Do',
  request: Buffer.from(text as string),
  caller,
  trace: {},
  deadline: Date.now() + 60_000,
  ...more,
})

/** Everything that was scheduled for the next turns of the event loop has happened. */
export async function settled(turns = 6): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
