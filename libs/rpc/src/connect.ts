import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { ChannelCredentials, Client as GrpcClient, type ServiceError } from '@grpc/grpc-js'
import type { CallScope, Part, Service } from '@lettergate/service'
import { definitionOf } from './definition.ts'
import { openExchange } from './exchange.ts'
import { identityOf } from './identity.ts'
import { answererOf } from './peers.ts'
import { openCall } from './trace-calls.ts'
import { callMetadata, fromServiceError } from './wire.ts'

type Call<M> =
  M extends DescMethodUnary<infer I, infer O>
    ? (scope: CallScope, request: MessageInitShape<I>, options?: CallTime) => Promise<MessageShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (scope: CallScope, request: MessageInitShape<I>, options?: CallTime) => AsyncIterable<MessageShape<O>>
      : never

/** The other service, called like its operations: `(ctx, request)`. Its Faults arrive as Faults. */
export type Client<S extends DescService> = { [K in keyof S['method']]: Call<S['method'][K]> }

export interface CallTime {
  /** instead of the connection's default; never longer than what the caller has left */
  timeoutMs?: number
}

export interface ConnectOptions<Beside extends DescService = DescService> {
  /** what the other side answers beside its own rpcs, over the same connection */
  beside?: Beside
  /** default: the service's; streams get ten times as long */
  timeoutMs?: number
  /** about how often the other side's name is looked up again, so that new replicas get their share; default 5 min */
  renewEveryMs?: number
}

const channelOptions = {
  'grpc.max_receive_message_length': 16 * 1024 * 1024,
  'grpc.max_send_message_length': 16 * 1024 * 1024,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // streams to every replica behind the name, not to the first that answers
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // only calls that never left are tried again by grpc-js itself; nothing here repeats an effect
  'grpc.enable_retries': 0,
}

/** Opens a lazy connection: calls wait for it while it comes up, within their own deadline, so start order does not matter. */
export async function connect<S extends DescService, Beside extends DescService = S>(
  service: Service,
  target: string,
  rpc: S,
  options: ConnectOptions<Beside> = {},
): Promise<Part & Client<S> & Client<Beside>> {
  const { timeoutMs = service.rpcTimeoutMs, renewEveryMs = 300_000 } = options
  const name = rpc.typeName
  const identity = await identityOf(service)
  // the name that the other side's certificate must carry, whatever address leads there
  const serverName = identity ? { 'grpc.ssl_target_name_override': answererOf(rpc) } : {}
  const credentials = () => identity?.forClient() ?? ChannelCredentials.createInsecure()
  const exchange = openExchange({
    target,
    name,
    openChannel: () => new GrpcClient(target, credentials(), { ...channelOptions, ...serverName }),
    renewEveryMs,
  })
  const forgetIdentity = identity?.onChange(() => exchange.renew())
  const deadlineOf = (scope: CallScope, ownMs: number) => Math.min(Date.now() + ownMs, scope.deadline)
  const calls: Record<string, unknown> = {}

  for (const method of [...rpc.methods, ...(options.beside?.methods ?? [])]) {
    const { path, requestSerialize, responseDeserialize } = definitionOf(method)
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
          // Parsed when it is taken: what waits stays outside the heap, where it is freed at once.
          for await (const bytes of call as AsyncIterable<Buffer>) yield responseDeserialize(bytes)
        } catch (error) {
          failure = fromServiceError(error as ServiceError, name)
          throw failure
        } finally {
          span.end(failure)
          scope.signal.removeEventListener('abort', abort)
          call.cancel() // leaving the loop early must stop the server too
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
    ...(calls as Client<S> & Client<Beside>),
    stop() {
      forgetIdentity?.()
      return exchange.stop()
    },
  }
}
