import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Below the ports that operating systems use for outgoing connections, which could use a port before its owner binds it. */
const range = { min: 15_000, max: 32_000 }
const reservedMs = 3_600_000
/** After so many tries nearly all ports are reserved, and any free one is used. */
const triesMax = 1_000

/**
 * A free TCP port. Until an hour later no other call on this machine gets it, because its owner binds it later and nothing
 * else reserves it.
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(range.min, range.max)
    if (!reserve(port) && tries < triesMax) continue
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

/** Reserves a port. False when another call reserved it within the hour. */
function reserve(port: number): boolean {
  const directory = join(tmpdir(), 'lettergate-ports')
  const path = join(directory, String(port))
  try {
    mkdirSync(directory, { recursive: true })
    writeFileSync(path, '', { flag: 'wx' })
    return true
  } catch (error) {
    // The folder may belong to another user: then nothing prevents a conflict between the users.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true
  }
  if (Date.now() - statSync(path).mtimeMs < reservedMs) return false
  const now = new Date()
  utimesSync(path, now, now)
  return true
}
