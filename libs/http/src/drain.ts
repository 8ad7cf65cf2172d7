import type { IncomingMessage } from 'node:http'

const drainedBytesMax = 128 * 1_048_576
const tickMs = 500
const silentTicksMax = 4
const ticksMax = 20

/**
 * Reads and discards the rest of a refused request. If the connection closed while the client still writes, the client would
 * get a reset instead of the error page. Ends after 128 MiB, 2 s without a byte, or 10 s in total.
 */
export async function drain(req: IncomingMessage): Promise<void> {
  if (req.complete || req.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  let size = 0
  let ticks = 0
  let silentTicks = 0
  // Counts ticks instead of reading the clock: if the process was blocked, one tick passes before the waiting bytes are read.
  const timer = setInterval(() => {
    ticks += 1
    silentTicks += 1
    if (silentTicks >= silentTicksMax || ticks >= ticksMax) resolve()
  }, tickMs)
  req.on('data', (chunk: Buffer) => {
    silentTicks = 0
    size += chunk.length
    if (size > drainedBytesMax) resolve()
  })
  req.once('end', resolve)
  req.once('close', resolve)
  req.resume()
  await promise
  clearInterval(timer)
}
