import { once } from 'node:events'
import { PassThrough } from 'node:stream'

const ahead = 4

/**
 * Lets a reader walk through what is produced inside a transaction. The producer runs at most a few items ahead, waits
 * for the reader, and is stopped (its transaction rolls back) when the reader leaves early.
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
