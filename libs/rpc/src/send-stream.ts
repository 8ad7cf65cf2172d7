import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import type { Client as GrpcClient, Metadata, MethodDefinition } from '@grpc/grpc-js'
import { ignoring } from '@lettergate/fault'

/** A call that sends many messages and gets one answer. */
export interface StreamedCall {
  definition: MethodDefinition<object, object>
  input: DescMessage
  requests: AsyncIterable<object>
  metadata: Metadata
  deadline: number
  signal: AbortSignal
}

/**
 * Sends the requests one after the other, each after the connection has taken the one before, so that one message at a time is in
 * memory. Answers the bytes of the reply. If the requests throw, the call is cancelled and this throws their error. If the server
 * answers early, the rest is not read. Errors of the call are those of grpc-js.
 */
export async function sendStream(channel: GrpcClient, streamed: StreamedCall): Promise<Buffer> {
  const { definition, input, requests, metadata, deadline, signal } = streamed
  const { promise: answered, resolve, reject } = Promise.withResolvers<Buffer>()
  const call = channel.makeClientStreamRequest(
    definition.path,
    definition.requestSerialize,
    (bytes: Buffer) => bytes,
    metadata,
    { deadline },
    (error, reply) => (error ? reject(error) : resolve(reply!)),
  )
  let isSettled = false
  let onSettled: (() => void) | undefined
  const settle = () => {
    isSettled = true
    onSettled?.()
  }
  answered.then(settle, settle)
  /** What comes first. `Promise.race` with one promise would keep every message until the end of the call. */
  const orSettled = <T>(work: Promise<T>) =>
    new Promise<T | 'settled'>((resolveFirst, rejectFirst) => {
      onSettled = () => resolveFirst('settled')
      work.then(resolveFirst, rejectFirst)
      if (isSettled) onSettled()
    })
  const abort = () => call.cancel()
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  const iterator = requests[Symbol.asyncIterator]()
  let isRead = false
  try {
    for (;;) {
      const next = await orSettled(iterator.next())
      if (next === 'settled') break
      if (next.done) {
        isRead = true
        call.end()
        break
      }
      const message = create(input, next.value as MessageInitShape<DescMessage>)
      const taken = new Promise((done) => call.write(message, done))
      if ((await orSettled(taken)) === 'settled') break
    }
    return await answered
  } finally {
    signal.removeEventListener('abort', abort)
    call.cancel()
    // Not awaited: the source may wait for more data, and it is for its owner to stop it.
    if (!isRead) iterator.return?.().catch((error: unknown) => ignoring(error, 'nobody reads the rest'))
  }
}
