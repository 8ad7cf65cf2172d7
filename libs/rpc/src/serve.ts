import {
  create,
  type DescMessage,
  type DescMethodClientStreaming,
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
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { once } from 'node:events'
import type { Http2Server, ServerOptions } from 'node:http2'
import { isIPv6 } from 'node:net'
import { Histogram } from 'prom-client'
import { Fault } from '@lettergate/fault'
import type { CallScope, Caller, Part, Service } from '@lettergate/service'
import { exemplar, type Carrier } from '@lettergate/service/tracing'
import { withConditions, type Check } from './conditions.ts'
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
      : M extends DescMethodClientStreaming<infer I, infer O>
        ? (ctx: C, requests: AsyncIterable<MessageShape<I>>) => Promise<MessageInitShape<O>>
        : never

/**
 * The operations of a service. A missing rpc is a type error. A stream of requests is complete only if its last request says so:
 * when the caller gives up, it may end like a complete one.
 */
export type Operations<S extends DescService, C> = { [K in keyof S['method']]: Operation<S['method'][K], C> }

/** A proto service with its operations. */
export interface Served<S extends DescService, C> {
  rpc: S
  operations: Operations<S, C>
  ctxOf: (scope: CallScope) => C
}

export interface ServeOptions<S extends DescService, C, Additional extends DescService, AdditionalC> extends Served<
  S,
  C
> {
  port: number
  /** a second proto service on the same port; rpc names must be unique over both */
  additional?: Served<Additional, AdditionalC>
}

type AnyCall =
  ServerUnaryCall<object, object> | ServerReadableStream<object, object> | ServerWritableStream<object, object>
type AnyOperation = (ctx: unknown, request: object | AsyncIterable<object>) => Promise<object> | AsyncIterable<object>
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

/** grpc-js emits `cancelled` for every call that ends, so the listener of an answered call is removed. */
const settled = (call: AnyCall): void => void call.removeAllListeners('cancelled')

async function writeAll(
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
 * The requests of a stream, as fast as they are read. Throws if the caller is known to have given up. A cancelled stream may also
 * end here first: Node.js ends a stream before it resets it. So the last request must say that it is the last one.
 */
async function* requestsOf(call: ServerReadableStream<object, object>, signal: AbortSignal) {
  try {
    for await (const request of call) yield request as object
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
  signal.throwIfAborted()
}

const windowBytes = 1024 * 1024

/**
 * Lets a client send a megabyte before it must hear from this server. With the 64 KiB of HTTP/2, a larger request waits for turns of
 * two busy event loops. grpc-js has this option only for clients, so it is set on its servers. The returned function does the rest after
 * the port is bound.
 */
function widenWindows(server: Server): () => void {
  const { commonServerOptions, http2Servers } = server as unknown as {
    commonServerOptions: ServerOptions
    http2Servers: Map<Http2Server, unknown>
  }
  commonServerOptions.settings = { ...commonServerOptions.settings, initialWindowSize: windowBytes }
  return () => {
    for (const each of http2Servers.keys()) each.on('session', (session) => session.setLocalWindowSize(windowBytes))
  }
}

/**
 * Serves the operations to the callers that each rpc declares. Any service with a certificate may call the standard health
 * protocol. `stop` reports not serving, then drains for at most 10 s.
 */
export async function serveRpc<S extends DescService, C, Additional extends DescService, AdditionalC>(
  service: Service,
  options: ServeOptions<S, C, Additional, AdditionalC>,
): Promise<Part & { port: number }> {
  const services: AnyServed[] = options.additional ? [options, options.additional] : [options]
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
  const opened = widenWindows(server)
  const duration = new Histogram({
    name: 'lettergate_rpc_server_seconds',
    help: 'Time to answer a gRPC call',
    labelNames: ['method', 'outcome'],
    enableExemplars: true,
    registers: [service.metrics],
  })
  const handlers: UntypedServiceImplementation = {}
  const definition: Record<string, MethodDefinition<object, object>> = {}
  const methods = new Map<string, ServedMethod>()

  for (const { method, operation, ctxOf } of served) {
    const { path, requestDeserialize, responseSerialize } = (definition[method.localName] = definitionOf(method))
    /** Called inside of the span of the call, so that the log line has its trace id. */
    const finish = (started: number, caller?: Caller, error?: unknown) => {
      const outcome = error === undefined ? 'ok' : error instanceof Fault ? error.code : 'internal'
      const labels = { method: method.name, outcome }
      duration.observe({ labels, value: (performance.now() - started) / 1000, exemplarLabels: exemplar() })
      if (outcome !== 'internal' && outcome !== 'unavailable') return
      const called = { correlation_id: caller?.correlationId, workspace_id: caller?.workspaceId }
      const about = { err: error, method: method.name, ...called }
      if (outcome === 'internal') service.log.error(about, 'an operation failed')
      else service.log.warn(about, 'an operation could not be carried out')
    }
    /** Runs one call, of a shared stream or separate. `callerOf` answers when the call is known to be allowed. */
    const answer = <T>(trace: Carrier, callerOf: () => Caller | undefined, work: () => Promise<T>): Promise<T> =>
      servedCall(method, trace, async () => {
        const started = performance.now()
        try {
          const answered = await work()
          finish(started, callerOf())
          return answered
        } catch (error) {
          finish(started, callerOf(), error)
          throw error
        }
      })
    const run = async (scope: CallScope, request: object | AsyncIterable<object>) =>
      create(
        method.output,
        (await (operation(ctxOf(scope), request) as Promise<object>)) as MessageInitShape<DescMessage>,
      )
    const single = (
      call: ServerUnaryCall<object, object> | ServerReadableStream<object, object>,
      done: sendUnaryData<object>,
    ) => {
      let scope: CallScope | undefined
      const work = async () => {
        peers.requireCaller(peers.peerOf(call), method)
        scope = scopeOf(call)
        return run(scope, 'request' in call ? call.request : requestsOf(call, scope.signal))
      }
      void reply(answer(traceFromMetadata(call.metadata), () => scope?.caller, work))

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
      const scope = scopeOf(call)
      const work = async () => {
        peers.requireCaller(peers.peerOf(call), method)
        const items = operation(ctxOf(scope), call.request) as AsyncIterable<object>
        await writeAll(call, method.output, items, scope.signal).catch((error: unknown) => {
          if (!scope.signal.aborted) throw error
        })
      }
      answer(traceFromMetadata(call.metadata), () => scope.caller, work).then(
        () => settled(call),
        (error: unknown) => {
          settled(call)
          call.emit('error', toServiceError(error))
        },
      )
    }
    if (method.methodKind === 'server_streaming') handlers[method.localName] = stream
    else handlers[method.localName] = single
    if (method.methodKind === 'unary') {
      methods.set(path.slice(1), (peer, scope, trace, request) =>
        answer(
          trace,
          () => scope.caller,
          async () => {
            peers.requireCaller(peer, method)
            return responseSerialize(await run(scope, requestDeserialize(request as Buffer)))
          },
        ),
      )
    }
  }
  const exchanges = servedExchange({ methodOf: (name) => methods.get(name), peerOf: (stream) => peers.peerOf(stream) })
  server.addService({ exchange }, { exchange: exchanges.handle })
  // grpc-js refuses a service without methods; its health is still served.
  if (served.length > 0) server.addService(definition, handlers)
  const names = ['', ...services.map(({ rpc }) => rpc.typeName)]
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])))
  health.addToServer({
    addService: (protocol, handlers) =>
      server.addService(protocol, { ...handlers, check: withConditions(service, handlers['check'] as Check) }),
  })

  const port = await new Promise<number>((resolve, reject) => {
    const credentials = identity?.forServer ?? ServerCredentials.createInsecure()
    const { bindAddress } = service
    const host = isIPv6(bindAddress) ? `[${bindAddress}]` : bindAddress
    server.bindAsync(`${host}:${options.port}`, credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  opened()
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
