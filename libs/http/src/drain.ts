import type { IncomingMessage } from 'node:http'

const drainedBytesMax = 128 * 1_048_576
const drainedMs = 2_000

/**
 * Reads on and throws away what a refused request still sends, up to 128 MiB and 2 s: a client that is still writing when
 * its connection is closed would see a reset instead of the page that says why.
 */
export async function drain(req: IncomingMessage): Promise<void> {
  if (req.complete || req.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, drainedMs)
  let size = 0
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > drainedBytesMax) resolve()
  })
  req.once('end', resolve)
  req.once('close', resolve)
  req.resume()
  await promise
  clearTimeout(timer)
}
