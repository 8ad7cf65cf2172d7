import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Below the ports that systems hand out to outgoing connections, one of which could take it before its owner binds it. */
const range = { min: 15_000, max: 32_000 }
const heldMs = 3_600_000
/** Then nearly all were given out within the hour, and a free one has to do. */
const triesMax = 1_000

/**
 * A TCP port that was free a moment ago. Every process of this machine that asks here within the hour gets another one: the
 * owner binds it later, and until then nothing else would keep it.
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(range.min, range.max)
    if (!take(port) && tries < triesMax) continue
    const server = createServer().listen(port)
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Writes down that a port is given out. False when another call was given it within the hour. */
function take(port: number): boolean {
  const directory = join(tmpdir(), 'lettergate-ports')
  const path = join(directory, String(port))
  try {
    mkdirSync(directory, { recursive: true })
    writeFileSync(path, '', { flag: 'wx' })
    return true
  } catch (error) {
    // The folder may belong to another user: then only chance keeps two processes apart.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true
  }
  if (Date.now() - statSync(path).mtimeMs < heldMs) return false
  const now = new Date()
  utimesSync(path, now, now)
  return true
}
