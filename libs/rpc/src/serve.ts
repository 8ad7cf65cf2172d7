import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import {
  Server,
  ServerCredentials,
  type MethodDefinition,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { Histogram } from 'prom-client'
import { Fault } from '@lettergate/fault'
import type { CallScope, Part, Service } from '@lettergate/service'
import type { Carrier } from '@lettergate/service/tracing'
import { definitionOf } from './definition.ts'
import { exchange } from './frames.ts'
import { identityOf } from './identity.ts'
import { openPeerCheck } from './peers.ts'
import { servedExchange, type ServedMethod } from './serve-exchange.ts'
import { servedCall } from './trace-calls.ts'
import { callerFromMetadata, toServiceError, traceFromMetadata } from './wire.ts'

/** What an operation answers: an init object of the reply message. */
export type Reply<M extends DescMessage> = MessageInitShape<M>

type Operation<M, C> =
  M extends DescMethodUnary<infer I, infer O>
    ? (ctx: C, request: MessageShape<I>) => Promise<MessageInitShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (ctx: C, request: MessageShape<I>) => AsyncIterable<MessageInitShape<O>>
      : never

/** The table of contents of a service: every rpc has its operation, or it does not compile. */
export type Operations<S extends DescService, C> = { [K in keyof S['method']]: Operation<S['method'][K], C> }

/** A proto service with what carries out its rpcs. */
export interface Served<S extends DescService, C> {
  rpc: S
  operations: Operations<S, C>
  ctxOf: (scope: CallScope) => C
}

export interface ServeOptions<S extends DescService, C, Beside extends DescService, BesideC> extends Served<S, C> {
  port: number
  /** what every service answers beside its own rpcs, on the same port; no two rpcs have one name */
  beside?: Served<Beside, BesideC>
}

type AnyCall = ServerUnaryCall<object, object> | ServerWritableStream<object, object>
type AnyOperation = (ctx: unknown, request: object) => Promise<object> | AsyncIterable<object>
interface AnyServed {
  rpc: DescService
  operations: unknown
  ctxOf: (scope: CallScope) => unknown
}

function scopeOf(call: AnyCall): CallScope {
  const aborter = new AbortController()
  ;(call as { on(event: 'cancelled', listener: () => void): void }).on('cancelled', () =>
    aborter.abort(new Fault('unavailable', 'cancelled', 'The caller stopped waiting.')),
  )
  const deadline = call.getDeadline()
  return {
    caller: callerFromMetadata(call.metadata),
    signal: aborter.signal,
    deadline: typeof deadline === 'number' ? deadline : deadline.getTime(),
  }
}

/** grpc-js says `cancelled` of every call that ends, and this one is answered. */
const settled = (call: AnyCall): void => void call.removeAllListeners('cancelled')

async function pump(
  call: ServerWritableStream<object, object>,
  output: DescMessage,
  items: AsyncIterable<object>,
  signal: AbortSignal,
) {
  for await (const item of items) {
    if (signal.aborted) return
    if (!call.write(create(output, item as MessageInitShape<DescMessage>))) await once(call, 'drain', { signal })
  }
  call.end()
}

/**
 * Serves the operations, each to the callers that its rpc declares, and the standard health protocol to any service that
 * has a certificate. Stopping reports not serving, then drains for at most 10 s.
 */
export async function serveRpc<S extends DescService, C, Beside extends DescService, BesideC>(
  service: Service,
  options: ServeOptions<S, C, Beside, BesideC>,
): Promise<Part & { port: number }> {
  const services: AnyServed[] = options.beside ? [options, options.beside] : [options]
  const served = services.flatMap(({ rpc, operations, ctxOf }) =>
    rpc.methods.map((method) => {
      const operation = (operations as Record<string, AnyOperation>)[method.localName]!
      return { method, operation, ctxOf }
    }),
  )
  const identity = await identityOf(service)
  const peers = openPeerCheck(
    service,
    served.map(({ method }) => method),
  )
  const server = new Server({
    'grpc.max_receive_message_length': 16 * 1024 * 1024,
    'grpc.max_send_message_length': 16 * 1024 * 1024,
  })
  const duration = new Histogram({
    name: 'lettergate_rpc_server_seconds',
    help: 'Time to answer a gRPC call',
    labelNames: ['method', 'outcome'],
    registers: [service.metrics],
  })
  const handlers: UntypedServiceImplementation = {}
  const definition: Record<string, MethodDefinition<object, object>> = {}
  const methods = new Map<string, ServedMethod>()

  for (const { method, operation, ctxOf } of served) {
    const { path, requestDeserialize, responseSerialize } = (definition[method.localName] = definitionOf(method))
    const finish = (started: number, error?: unknown) => {
      const outcome = error === undefined ? 'ok' : error instanceof Fault ? error.code : 'internal'
      duration.observe({ method: method.name, outcome }, (performance.now() - started) / 1000)
      if (outcome === 'internal') service.log.error({ err: error, method: method.name }, 'an operation failed')
      else if (outcome === 'unavailable')
        service.log.warn({ err: error, method: method.name }, 'an operation could not be carried out')
    }
    /** One unary call, however it came. */
    const answer = async <T>(trace: Carrier, work: () => Promise<T>): Promise<T> => {
      const started = performance.now()
      try {
        const answered = await servedCall(method, trace, work)
        finish(started)
        return answered
      } catch (error) {
        finish(started, error)
        throw error
      }
    }
    const carryOut = async (scope: CallScope, request: object) =>
      create(
        method.output,
        (await (operation(ctxOf(scope), request) as Promise<object>)) as MessageInitShape<DescMessage>,
      )
    const unary = (call: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => {
      const work = async () => {
        peers.requireCaller(peers.peerOf(call), method)
        return carryOut(scopeOf(call), call.request)
      }
      void reply(answer(traceFromMetadata(call.metadata), work))

      async function reply(answered: Promise<object>) {
        try {
          const message = await answered
          settled(call)
          done(null, message)
        } catch (error) {
          settled(call)
          done(toServiceError(error))
        }
      }
    }
    const stream = (call: ServerWritableStream<object, object>) => {
      const started = performance.now()
      const scope = scopeOf(call)
      const answered = async () => {
        peers.requireCaller(peers.peerOf(call), method)
        await pump(call, method.output, operation(ctxOf(scope), call.request) as AsyncIterable<object>, scope.signal)
      }
      servedCall(method, traceFromMetadata(call.metadata), answered).then(
        () => {
          settled(call)
          finish(started)
        },
        (error: unknown) => {
          if (scope.signal.aborted) return
          settled(call)
          finish(started, error)
          call.emit('error', toServiceError(error))
        },
      )
    }
    if (method.methodKind === 'server_streaming') handlers[method.localName] = stream
    else {
      handlers[method.localName] = unary
      methods.set(path.slice(1), (peer, scope, trace, request) =>
        answer(trace, async () => {
          peers.requireCaller(peer, method)
          return responseSerialize(await carryOut(scope, requestDeserialize(request as Buffer)))
        }),
      )
    }
  }
  const exchanges = servedExchange({ methodOf: (name) => methods.get(name), peerOf: (stream) => peers.peerOf(stream) })
  server.addService({ exchange }, { exchange: exchanges.handle })
  // grpc-js refuses a service without methods; its health is served all the same.
  if (served.length > 0) server.addService(definition, handlers)
  const names = ['', ...services.map(({ rpc }) => rpc.typeName)]
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])))
  health.addToServer(server)

  const port = await new Promise<number>((resolve, reject) => {
    const credentials = identity?.forServer ?? ServerCredentials.createInsecure()
    const { bindAddress } = service
    const host = isIPv6(bindAddress) ? `[${bindAddress}]` : bindAddress
    server.bindAsync(`${host}:${options.port}`, credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  return {
    port,
    async stop() {
      for (const name of names) health.setStatus(name, 'NOT_SERVING')
      exchanges.drain()
      const force = setTimeout(() => server.forceShutdown(), 10_000)
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
      clearTimeout(force)
    },
  }
}
