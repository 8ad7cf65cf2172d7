import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A port before a service, so that a test decides whether the service is reached and whether its answers arrive. */
export async function openRelay(port: number) {
  let isOpen = true
  let isSilent = false
  let kept: (() => void)[] | undefined
  const sockets = new Set<Socket>()
  const server = createServer((caller) => {
    if (!isOpen) return void caller.destroy()
    const service = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [caller, service],
      [service, caller],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    caller.on('data', (bytes) => service.write(bytes))
    service.on('data', (bytes) => {
      if (kept) kept.push(() => caller.write(bytes))
      else if (!isSilent) caller.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  /** Every connection ends, and new ones do too. */
  function cut() {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    /** Requests arrive, and their answers do not. */
    silence: () => void (isSilent = true),
    /** Requests arrive, and their answers are kept until it is restored. */
    keep: () => void (kept = []),
    /** Whether an answer is kept. */
    hasKept: () => kept !== undefined && kept.length > 0,
    restore() {
      isOpen = true
      isSilent = false
      const answers = kept ?? []
      kept = undefined
      for (const answer of answers) answer()
    },
    async stop() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

export type Relay = Awaited<ReturnType<typeof openRelay>>
