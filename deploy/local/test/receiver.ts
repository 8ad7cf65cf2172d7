import type { AddressInfo } from 'node:net'
import { createServer, type IncomingHttpHeaders } from 'node:http'

export interface ReceivedEvent {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly signature: { timestamp: string; token: string; signature: string }
  readonly data: { id: string; event: string; recipient: string; timestamp: number } & Record<string, unknown>
}

/** A webhook receiver that stores its events and answers with the status that `answer` returns. */
export async function startReceiver(answer: (event: ReceivedEvent, earlier: number) => number = () => 200) {
  const events: ReceivedEvent[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        signature: ReceivedEvent['signature']
        'event-data': ReceivedEvent['data']
      }
      const event = { path: req.url ?? '', headers: req.headers, signature: body.signature, data: body['event-data'] }
      const earlier = events.filter(({ data }) => data.id === event.data.id).length
      events.push(event)
      res.writeHead(answer(event, earlier)).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    of: (recipient: string) => events.filter(({ data }) => data.recipient === recipient).map(({ data }) => data),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Waits for a condition, which it checks every 20 ms. After the timeout it throws with the description. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, withinMs = 5_000) {
  const end = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`did not happen within ${withinMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
