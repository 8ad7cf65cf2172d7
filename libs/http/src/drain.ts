import type { IncomingMessage } from 'node:http'

const drainedBytesMax = 128 * 1_048_576
const tickMs = 500
const silentTicksMax = 4
const ticksMax = 20

/**
 * Reads on and throws away what a refused request still sends: a client that is still writing when its connection is
 * closed would see a reset instead of the page that says why. Ends after 128 MiB, 2 s without a byte, or 10 s in all.
 */
export async function drain(req: IncomingMessage): Promise<void> {
  if (req.complete || req.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  let size = 0
  let ticks = 0
  let silentTicks = 0
  // Ticks are counted, not the clock read: after a stall of the process one tick passes, then the bytes that wait are read.
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
