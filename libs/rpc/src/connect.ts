import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { Client as GrpcClient, type CallOptions, type ServiceError } from '@grpc/grpc-js'
import type { CallScope, Part, Service } from '@lettergate/service'
import { clientCredentials, type TlsFiles } from './credentials.ts'
import { definitionOf } from './definition.ts'
import { openCall } from './trace-calls.ts'
import { callerToMetadata, fromServiceError } from './wire.ts'

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

export interface ConnectOptions {
  /** default: the service's; streams get ten times as long */
  timeoutMs?: number
  tls?: TlsFiles
}

const channelOptions = {
  'grpc.max_receive_message_length': 16 * 1024 * 1024,
  'grpc.max_send_message_length': 16 * 1024 * 1024,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // only calls that never left are tried again by grpc-js itself; nothing here repeats an effect
  'grpc.enable_retries': 0,
}

/** grpc-js keeps the stack of every call that begins, for the error it may end with; a felt part of what a call costs. */
function withoutStacks<T>(begin: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return begin()
  } finally {
    Error.stackTraceLimit = limit
  }
}

/** Opens a lazy connection: calls wait for it while it comes up, within their own deadline, so start order does not matter. */
export async function connect<S extends DescService>(
  service: Service,
  target: string,
  rpc: S,
  options: ConnectOptions = {},
): Promise<Part & Client<S>> {
  const channel = new GrpcClient(target, clientCredentials(options.tls), channelOptions)
  const { timeoutMs = service.rpcTimeoutMs } = options
  const name = rpc.typeName
  const callOptions = (scope: CallScope, ownMs: number): CallOptions => ({
    deadline: Math.min(Date.now() + ownMs, scope.deadline),
  })
  const calls: Record<string, unknown> = {}

  for (const method of rpc.methods) {
    const { path, requestSerialize, responseDeserialize } = definitionOf(method)
    const message = (init: unknown) => create(method.input, init as MessageInitShape<DescMessage>)
    if (method.methodKind === 'unary') {
      calls[method.localName] = (scope: CallScope, request: unknown, time?: CallTime) =>
        new Promise((resolve, reject) => {
          const metadata = callerToMetadata(scope.caller)
          metadata.setOptions({ waitForReady: true })
          const span = openCall(method, target, metadata)
          const abort = () => call.cancel()
          const call = withoutStacks(() =>
            channel.makeUnaryRequest(
              path,
              requestSerialize,
              responseDeserialize,
              message(request),
              metadata,
              callOptions(scope, time?.timeoutMs ?? timeoutMs),
              (error, reply) => {
                scope.signal.removeEventListener('abort', abort)
                const failure = error ? fromServiceError(error, name) : undefined
                span.end(failure)
                if (error) reject(failure)
                else resolve(reply)
              },
            ),
          )
          if (scope.signal.aborted) abort()
          else scope.signal.addEventListener('abort', abort, { once: true })
        })
    } else {
      calls[method.localName] = async function* (scope: CallScope, request: unknown, time?: CallTime) {
        const metadata = callerToMetadata(scope.caller)
        metadata.setOptions({ waitForReady: true })
        const span = openCall(method, target, metadata)
        let failure: unknown
        const call = channel.makeServerStreamRequest(
          path,
          requestSerialize,
          responseDeserialize,
          message(request),
          metadata,
          callOptions(scope, time?.timeoutMs ?? timeoutMs * 10),
        )
        const abort = () => call.cancel()
        scope.signal.addEventListener('abort', abort, { once: true })
        try {
          yield* call
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
        channel.waitForReady(Date.now() + 1_000, (error) => (error ? reject(error) : resolve())),
      ),
  )
  return { ...(calls as Client<S>), stop: async () => channel.close() }
}
