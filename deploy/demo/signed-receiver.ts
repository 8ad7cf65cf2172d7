import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

export interface SignedReceiver<Event> {
  readonly url: string
  readonly secret: string
  /** events with a valid signature, without duplicates, in the order of their arrival */
  readonly accepted: readonly Event[]
  /** number of events with an invalid signature */
  readonly refused: number
  close(): void
}

/** A webhook receiver outside the service: it verifies each signature by Standard Webhooks and drops duplicates. */
export async function openReceiver<Event>(path: string): Promise<SignedReceiver<Event>> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = new Webhook(secret)
  const accepted: Event[] = []
  const seen = new Set<string>()
  let refused = 0
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
      try {
        const event = webhook.verify(body, headers) as Event
        const id = headers['webhook-id']!
        if (!seen.has(id)) accepted.push(event)
        seen.add(id)
        res.writeHead(204).end()
      } catch {
        refused += 1
        res.writeHead(401).end()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    secret,
    accepted,
    get refused() {
      return refused
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
