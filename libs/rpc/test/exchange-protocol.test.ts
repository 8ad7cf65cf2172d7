import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import {
  Client as GrpcClient,
  Metadata,
  Server,
  ServerCredentials,
  credentials,
  status,
  type MethodDefinition,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceError,
  type UntypedServiceImplementation,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { afterEach, expect, test } from '@jest/globals'
import {
  ContactsConsent,
  LookupContactRequestSchema,
  LookupContactResponseSchema,
  type LookupContactRequest,
} from '@lettergate/contracts/contacts/v1/contacts'
import {
  ExchangeRequestSchema,
  ExchangeResponseSchema,
  type AnswerSchema,
  type ExchangeRequest,
} from '@lettergate/contracts/rpc/v1/calls'
import { until } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import { definitionOf } from '../src/definition.ts'
import { exchange } from '../src/frames.ts'
import { caller, replica } from './exchange-fixture.ts'

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})
const opens = async <T extends { stop(): Promise<void> }>(part: Promise<T>): Promise<T> => {
  const started = await part
  opened.push(() => started.stop())
  return started
}

const lookup = definitionOf<LookupContactRequest>(ContactsConsent.method.lookupContact)
const method = lookup.path.slice(1)
const lookedUp = (email: string) =>
  toBinary(LookupContactResponseSchema, create(LookupContactResponseSchema, { contact: { email } }))
const unchanged = (bytes: Buffer) => bytes
type Bytes = ServerDuplexStream<ExchangeRequest, Buffer>
type Handlers = { exchange?: (stream: Bytes) => void; lookup?: (request: LookupContactRequest) => void }

/** A gRPC server without our library, with the given handlers. */
async function rawServer(port: number, { exchange: onStream, lookup: onLookup }: Handlers): Promise<() => void> {
  const server = new Server()
  const definition: Record<string, MethodDefinition<object, object>> = {}
  const handlers: UntypedServiceImplementation = {}
  if (onStream) {
    definition['exchange'] = { ...exchange, responseSerialize: unchanged } as never
    handlers['exchange'] = onStream as never
  }
  if (onLookup) {
    definition['lookup'] = { ...lookup, responseSerialize: unchanged } as never
    handlers['lookup'] = (call: ServerUnaryCall<LookupContactRequest, Buffer>, done: sendUnaryData<Buffer>) => {
      onLookup(call.request)
      done(null, Buffer.from(lookedUp(call.request.email)))
    }
  }
  server.addService(definition, handlers)
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  )
  return () => server.forceShutdown()
}

function client(port: number): GrpcClient {
  const channel = new GrpcClient(`127.0.0.1:${port}`, credentials.createInsecure())
  opened.push(() => channel.close())
  return channel
}

/** Writes these frames to the exchange and answers the status with which the stream ended. */
async function write(port: number, frames: (Buffer | MessageInitShape<typeof ExchangeRequestSchema>)[]) {
  const stream = client(port).makeBidiStreamRequest(exchange.path, unchanged, exchange.responseDeserialize)
  const ended = new Promise<ServiceError>((resolve) => stream.on('error', (error) => resolve(error as ServiceError)))
  stream.resume()
  for (const frame of frames) {
    stream.write(
      Buffer.isBuffer(frame)
        ? frame
        : Buffer.from(toBinary(ExchangeRequestSchema, create(ExchangeRequestSchema, frame))),
    )
  }
  return (await ended).code
}

test('any gRPC client can call a method without the exchange', async () => {
  const { port, arrivals } = await opens(replica())
  const reply = await new Promise<unknown>((resolve, reject) =>
    client(port).makeUnaryRequest(
      lookup.path,
      lookup.requestSerialize,
      lookup.responseDeserialize,
      create(LookupContactRequestSchema, { email: 'fine@1' }),
      new Metadata(),
      (error, message) => (error ? reject(error) : resolve(message)),
    ),
  )
  expect(reply).toMatchObject({ contact: { email: 'fine@1' } })
  expect(arrivals).toHaveLength(1)
})

test('a server without the exchange receives separate calls, and stream calls as soon as it implements the exchange', async () => {
  const port = await freePort()
  let count = 0
  const close = await rawServer(port, { lookup: () => void (count += 1) })
  opened.push(close)
  const { ask } = await opens(caller(port))
  await Promise.all([1, 2, 3].map((n) => ask(`fine@${n}`)))
  await ask('fine@4')
  expect(count).toBe(4)
  close()
  const { arrivals } = await opens(replica(port))
  await until(() => ask('fine@5'), { what: 'the new server answered' })
  expect(arrivals.length).toBeGreaterThan(0)
})

test('a call that was sent fails when the stream breaks, and is not sent again', async () => {
  const port = await freePort()
  const seen: string[] = []
  let streams = 0
  const close = await rawServer(port, {
    exchange(stream) {
      streams += 1
      stream.sendMetadata(new Metadata())
      stream.on('data', ({ calls }: ExchangeRequest) => {
        seen.push(...calls.map(({ request }) => lookup.requestDeserialize(Buffer.from(request)).email))
        stream.emit('error', { code: status.UNAVAILABLE, details: 'gone' })
      })
    },
  })
  opened.push(close)
  const { ask } = await opens(caller(port))
  await expect(ask('first@1')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(ask('second@1')).rejects.toMatchObject({ code: 'unavailable' })
  expect(seen).toEqual(['first@1', 'second@1'])
  expect(streams).toBeGreaterThanOrEqual(2)
})

const frame = (id: number) => ({ id, method, timeoutMs: 60_000, request: new Uint8Array(), caller: {} })

test.each([
  ['invalid protobuf', [Buffer.from([0xff, 0xff, 0xff])], status.INTERNAL],
  ['a duplicate id', [{ calls: [frame(1)] }, { calls: [frame(1)] }], status.INVALID_ARGUMENT],
  ['a duplicate id in one message', [{ calls: [frame(2), frame(2)] }], status.INVALID_ARGUMENT],
  ['an id of zero', [{ calls: [frame(0)] }], status.INVALID_ARGUMENT],
  ['a frame without a caller', [{ calls: [{ ...frame(1), caller: undefined }] }], status.INVALID_ARGUMENT],
])('%s ends its stream and nothing else', async (_, frames, code) => {
  const { port } = await opens(replica())
  const { ask } = await opens(caller(port))
  const held = ask('slow-100@1')
  expect(await write(port, frames)).toBe(code)
  await expect(held).resolves.toMatchObject({ email: 'slow-100@1' })
})

test('an invalid request, an unknown method and a cancellation of an unknown call affect no other call', async () => {
  const { port, arrivals } = await opens(replica())
  const stream = client(port).makeBidiStreamRequest(
    exchange.path,
    exchange.requestSerialize,
    exchange.responseDeserialize,
  )
  const answers = new Map<number, unknown>()
  stream.on('data', (message) => {
    for (const { id, outcome } of message.answers) answers.set(id, outcome.case === 'failure' ? outcome.value.code : 0)
  })
  stream.write(
    create(ExchangeRequestSchema, {
      calls: [
        { ...frame(1), request: new Uint8Array([0xff, 0xff]) },
        { ...frame(2), method: 'lettergate.nowhere.v1.Nowhere/Nothing' },
        { ...frame(3), request: lookup.requestSerialize(create(LookupContactRequestSchema, { email: 'fine@1' })) },
      ],
      cancelled: [7, 3_000_000_000],
    }),
  )
  await until(() => answers.size === 3, { what: 'three answers' })
  expect(Object.fromEntries(answers)).toEqual({ 1: status.INTERNAL, 2: status.UNIMPLEMENTED, 3: 0 })
  expect(arrivals).toHaveLength(1)
  stream.end()
})

test.each([
  ['invalid protobuf', () => Buffer.from([0xff, 0xff, 0xff])],
  ['an answer to an unknown call', () => answerOf(99)],
  ['an answer without an outcome', () => answerOf(1, { case: undefined })],
])('%s from a server fails the calls of that stream, and the next stream works', async (_, nonsense) => {
  const port = await freePort()
  let streams = 0
  const close = await rawServer(port, {
    exchange(stream) {
      const isFirst = (streams += 1) === 1
      stream.sendMetadata(new Metadata())
      stream.on('data', ({ calls }: ExchangeRequest) => {
        for (const { id } of calls) stream.write(isFirst ? nonsense() : answerOf(id))
      })
      stream.on('end', () => stream.end())
    },
  })
  opened.push(close)
  const { ask } = await opens(caller(port))
  await expect(ask('fine@1')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(ask('fine@2')).resolves.toMatchObject({ email: 'answered' })
})

type Outcome = MessageInitShape<typeof AnswerSchema>['outcome']

function answerOf(id: number, outcome: Outcome = { case: 'reply', value: lookedUp('answered') }): Buffer {
  return Buffer.from(
    toBinary(ExchangeResponseSchema, create(ExchangeResponseSchema, { answers: [{ id, outcome: outcome! }] })),
  )
}
