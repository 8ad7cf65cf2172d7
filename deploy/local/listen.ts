import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/** The address of stand-ins unless `STAND_IN_ADDRESS` says otherwise: their credentials are public. */
export const loopback = '127.0.0.1'

/** Serves plain HTTP; port 0 means any free port. `stop` also ends open connections. */
export async function listen(handler: RequestListener, port = 0, address = loopback): Promise<Listening> {
  // The longest queue of waiting connections that the system allows, because load generators open hundreds at once.
  const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, handler)
  await bound(server, port, address)
  const taken = (server.address() as AddressInfo).port
  return { url: `http://127.0.0.1:${taken}`, port: taken, stop: () => closed(server) }
}

const bound = (server: Server, port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve()
    })
  })

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
