import { connect, type Socket } from 'node:net'

/** Receives what happens on a connection. */
export interface AnswerReceiver {
  onConnect(): void
  /** The bytes are valid only during the call. */
  onData(piece: Buffer): void
  /** More can be written. */
  onDrain(): void
  onClose(): void
}

/** A connection for one request after the other. Bytes that arrive while it has no receiver end it. */
export interface UpstreamConnection {
  readonly socket: Socket
  receiver: AnswerReceiver | undefined
}

/** Connections to one service, which are reused. */
export interface Upstream {
  /** A connection for one request. It may still be connecting. */
  take(receiver: AnswerReceiver): UpstreamConnection
  /** Keeps a connection whose answer is complete. */
  giveBack(connection: UpstreamConnection): void
  stop(): void
}

const idleMs = 4_000
const idleMax = 256

/** All connections read into this buffer, because a new one for each read is expensive. */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

export function upstreamOf(url: string): Upstream {
  const { hostname: host, port } = new URL(url)
  const all = new Set<Socket>()
  let idle: { connection: UpstreamConnection; since: number }[] = []

  function open(receiver: AnswerReceiver): UpstreamConnection {
    const onRead = (bytes: number, buffer: Uint8Array) => {
      // They would be read as the next answer.
      if (connection.receiver) connection.receiver.onData((buffer as Buffer).subarray(0, bytes))
      else socket.destroy()
      return true
    }
    const onread = { buffer: readBuffer, callback: onRead }
    const socket = connect({ host, port: Number(port || 80), noDelay: true, onread })
    const connection: UpstreamConnection = { socket, receiver }
    all.add(socket)
    socket.on('connect', () => connection.receiver?.onConnect())
    socket.on('drain', () => connection.receiver?.onDrain())
    // The receiver learns of an error by the close after it.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      all.delete(socket)
      idle = idle.filter((each) => each.connection !== connection)
      connection.receiver?.onClose()
    })
    return connection
  }

  return {
    take(receiver) {
      for (let found = idle.pop(); found; found = idle.pop()) {
        const { connection, since } = found
        const { socket } = connection
        if (!socket.destroyed && socket.readable && performance.now() - since < idleMs) {
          connection.receiver = receiver
          return connection
        }
        socket.destroy()
      }
      return open(receiver)
    },
    giveBack(connection) {
      connection.receiver = undefined
      if (connection.socket.destroyed || idle.length >= idleMax) return void connection.socket.destroy()
      idle.push({ connection, since: performance.now() })
    },
    stop() {
      for (const socket of all) socket.destroy()
    },
  }
}
