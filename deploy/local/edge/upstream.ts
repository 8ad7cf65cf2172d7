import { connect, type Socket } from 'node:net'

/** Connections to one service that are kept for the next request. */
export interface Upstream {
  /** A connection for one request. It may still have to be made. */
  take(): Socket
  /** Keeps a connection whose answer is complete. */
  giveBack(socket: Socket): void
  stop(): void
}

const idleMs = 4_000
const idleMax = 256

export function upstreamOf(url: string): Upstream {
  const { hostname: host, port } = new URL(url)
  const all = new Set<Socket>()
  let idle: { socket: Socket; since: number }[] = []

  function open(): Socket {
    const socket = connect({ host, port: Number(port || 80), noDelay: true })
    all.add(socket)
    // Whoever uses it listens too; nobody needs to while it is idle.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      all.delete(socket)
      idle = idle.filter((each) => each.socket !== socket)
    })
    return socket
  }

  /** Nobody asked for these bytes: they would be taken for the next answer. */
  function onUnasked(this: Socket) {
    this.destroy()
  }

  return {
    take() {
      for (let found = idle.pop(); found; found = idle.pop()) {
        found.socket.off('data', onUnasked)
        if (!found.socket.destroyed && found.socket.readable && performance.now() - found.since < idleMs)
          return found.socket
        found.socket.destroy()
      }
      return open()
    },
    giveBack(socket) {
      if (socket.destroyed || idle.length >= idleMax) return void socket.destroy()
      socket.on('data', onUnasked)
      idle.push({ socket, since: performance.now() })
    },
    stop() {
      for (const socket of all) socket.destroy()
    },
  }
}
