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
import { ChannelCredentials, Client as GrpcClient, type ServiceError } from '@grpc/grpc-js'
import type { CallScope, Part, Service } from '@lettergate/service'
import { askCondition } from './conditions.ts'
import { definitionOf } from './definition.ts'
import { openExchange } from './exchange.ts'
import { identityOf } from './identity.ts'
import { servingServiceOf } from './peers.ts'
import { sendStream } from './send-stream.ts'
import { openCall } from './trace-calls.ts'
import { callMetadata, fromServiceError } from './wire.ts'

type Call<M> =
  M extends DescMethodUnary<infer I, infer O>
    ? (scope: CallScope, request: MessageInitShape<I>, options?: CallTime) => Promise<MessageShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (scope: CallScope, request: MessageInitShape<I>, options?: CallTime) => AsyncIterable<MessageShape<O>>
      : M extends DescMethodClientStreaming<infer I, infer O>
        ? (
            scope: CallScope,
            requests: AsyncIterable<MessageInitShape<I>>,
            options?: CallTime,
          ) => Promise<MessageShape<O>>
        : never

/** The other service, called like its operations: `(ctx, request)`. Its Faults arrive as Faults. */
export type Client<S extends DescService> = { [K in keyof S['method']]: Call<S['method'][K]> }

export interface CallTime {
  /** replaces the connection's default; the caller's deadline stays the limit */
  timeoutMs?: number
}

export interface ConnectOptions<Additional extends DescService = DescService> {
  /** a second proto service that the other side serves on the same connection */
  additional?: Additional
  /** default: the service's timeout; streams have ten times as long */
  timeoutMs?: number
  /** about how often the name of the other side is resolved again, so that new replicas receive calls; default 5 min */
  renewEveryMs?: number
}

/** The conditions of the other side. */
export interface Conditions {
  /** Whether this condition holds there. Rejects when nobody answers. */
  meets(condition: string): Promise<boolean>
}

const channelOptions = {
  'grpc.max_receive_message_length': 16 * 1024 * 1024,
  'grpc.max_send_message_length': 16 * 1024 * 1024,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // connects to every replica of the name, not only to the first one
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // grpc-js may retry only calls that were never sent, so no effect happens twice
  'grpc.enable_retries': 0,
}

/** Opens a lazy connection. Calls wait for it until their own deadline, so services can start in any order. */
export async function connect<S extends DescService, Additional extends DescService = S>(
  service: Service,
  target: string,
  rpc: S,
  options: ConnectOptions<Additional> = {},
): Promise<Part & Conditions & Client<S> & Client<Additional>> {
  const { timeoutMs = service.rpcTimeoutMs, renewEveryMs = 300_000 } = options
  const name = rpc.typeName
  const identity = await identityOf(service)
  // the certificate of the other side must carry this name, for every address
  const serverName = identity ? { 'grpc.ssl_target_name_override': servingServiceOf(rpc) } : {}
  const credentials = () => identity?.forClient() ?? ChannelCredentials.createInsecure()
  const exchange = openExchange({
    target,
    name,
    openChannel: () => new GrpcClient(target, credentials(), { ...channelOptions, ...serverName }),
    renewEveryMs,
  })
  const removeListener = identity?.onChange(() => exchange.renew())
  const deadlineOf = (scope: CallScope, ownMs: number) => Math.min(Date.now() + ownMs, scope.deadline)
  const calls: Record<string, unknown> = {}

  for (const method of [...rpc.methods, ...(options.additional?.methods ?? [])]) {
    const definition = definitionOf(method)
    const { path, requestSerialize, responseDeserialize } = definition
    const message = (init: unknown) => create(method.input, init as MessageInitShape<DescMessage>)
    if (method.methodKind === 'unary') {
      calls[method.localName] = async (scope: CallScope, request: unknown, time?: CallTime) => {
        const span = openCall(method, target)
        try {
          const content = {
            method: path.slice(1),
            request: requestSerialize(message(request)),
            caller: scope.caller,
            trace: span.carrier,
            deadline: deadlineOf(scope, time?.timeoutMs ?? timeoutMs),
          }
          const reply = responseDeserialize((await exchange.call(content, scope.signal)) as Buffer)
          span.end()
          return reply
        } catch (error) {
          span.end(error)
          throw error
        }
      }
    } else if (method.methodKind === 'client_streaming') {
      calls[method.localName] = async (scope: CallScope, requests: AsyncIterable<object>, time?: CallTime) => {
        const span = openCall(method, target)
        let failure: unknown
        /** Errors of the requests keep their identity, errors of the call become Faults. */
        async function* observed() {
          try {
            yield* requests
          } catch (error) {
            failure = error
            throw error
          }
        }
        try {
          const reply = await sendStream(exchange.channel(), {
            definition,
            input: method.input,
            requests: observed(),
            metadata: callMetadata(scope.caller, span.carrier),
            deadline: deadlineOf(scope, time?.timeoutMs ?? timeoutMs * 10),
            signal: scope.signal,
          })
          span.end()
          return responseDeserialize(reply)
        } catch (error) {
          failure ??= fromServiceError(error as ServiceError, name)
          span.end(failure)
          throw failure
        }
      }
    } else {
      calls[method.localName] = async function* (scope: CallScope, request: unknown, time?: CallTime) {
        const span = openCall(method, target)
        let failure: unknown
        const call = exchange
          .channel()
          .makeServerStreamRequest(
            path,
            requestSerialize,
            (bytes: Buffer) => bytes,
            message(request),
            callMetadata(scope.caller, span.carrier),
            { deadline: deadlineOf(scope, time?.timeoutMs ?? timeoutMs * 10) },
          )
        const abort = () => call.cancel()
        scope.signal.addEventListener('abort', abort, { once: true })
        try {
          // Parsed when it is read: until then the bytes stay outside the heap.
          for await (const bytes of call as AsyncIterable<Buffer>) yield responseDeserialize(bytes)
        } catch (error) {
          failure = fromServiceError(error as ServiceError, name)
          throw failure
        } finally {
          span.end(failure)
          scope.signal.removeEventListener('abort', abort)
          call.cancel() // if the reader leaves the loop early, the server must stop too
        }
      }
    }
  }
  service.readiness(
    name,
    () =>
      new Promise((resolve, reject) =>
        exchange.channel().waitForReady(Date.now() + 1_000, (error) => (error ? reject(error) : resolve())),
      ),
  )
  return {
    ...(calls as Client<S> & Client<Additional>),
    meets: (condition: string) => askCondition(exchange.channel(), condition, { name, timeoutMs }),
    stop() {
      removeListener?.()
      return exchange.stop()
    },
  }
}
