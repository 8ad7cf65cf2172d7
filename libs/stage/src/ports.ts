import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems hand out to outgoing connections, one of which could take it before its owner binds it. */
const range = { min: 15_000, max: 32_000 }

/** A TCP port that was free a moment ago, drawn at random so that two processes that look at once rarely agree. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.min, range.max)
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
