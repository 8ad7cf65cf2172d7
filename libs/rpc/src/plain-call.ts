import type { Client as GrpcClient } from '@grpc/grpc-js'
import type { CallContent } from './frames.ts'
import { callMetadata, fromServiceError } from './wire.ts'
import { withoutStacks } from './without-stacks.ts'

const unchanged = (bytes: Buffer) => bytes

/** A normal gRPC unary call, without the exchange. */
export function plainCall(
  channel: GrpcClient,
  name: string,
  { method, request, caller, trace, deadline }: CallContent,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const abort = () => call.cancel()
    const call = withoutStacks(() =>
      channel.makeUnaryRequest(
        `/${method}`,
        unchanged,
        unchanged,
        request,
        callMetadata(caller, trace),
        { deadline },
        (error, reply) => {
          signal.removeEventListener('abort', abort)
          if (error) reject(fromServiceError(error, name))
          else resolve(reply!)
        },
      ),
    )
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
