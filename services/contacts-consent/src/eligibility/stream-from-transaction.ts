import { once } from 'node:events'
import { PassThrough } from 'node:stream'

const ahead = 4

/**
 * Streams items that are produced inside a transaction. The producer is at most a few items ahead and waits for the reader. If
 * the reader stops early, the producer stops and its transaction rolls back.
 */
export async function* streamed<T>(produce: (emit: (item: T) => Promise<void>) => Promise<void>): AsyncGenerator<T> {
  const pipe = new PassThrough({ objectMode: true, highWaterMark: ahead })
  const left = new AbortController()
  const emit = async (item: T) => {
    left.signal.throwIfAborted()
    if (!pipe.write(item)) await once(pipe, 'drain', { signal: left.signal })
  }
  const producing = produce(emit).then(
    () => void pipe.end(),
    (error: unknown) => void pipe.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  try {
    yield* pipe as AsyncIterable<T>
  } finally {
    left.abort()
    await producing
    pipe.destroy()
  }
}
