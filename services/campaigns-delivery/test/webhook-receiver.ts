import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface ReceivedRequest {
  id: string
  verified: { type: string; timestamp: string; data: Record<string, unknown> }
  body: string
}

/** What a receiver does with a request after reading it. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void

export const taking: Behaviour = (response) => response.writeHead(204).end()
export const answering =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end('no')

/** A receiver of campaign webhooks that verifies every request with the official library and behaves as configured. */
export async function openReceiver(secret: string) {
  const received: ReceivedRequest[] = []
  const refused: string[] = []
  let behaviour = taking
  let underWay = 0
  let underWayMost = 0
  const server = createServer((request, response) => {
    underWay += 1
    underWayMost = Math.max(underWayMost, underWay)
    response.on('close', () => (underWay -= 1))
    void body(request).then((text) => {
      try {
        const verified = new Webhook(secret).verify(
          text,
          request.headers as Record<string, string>,
        ) as ReceivedRequest['verified']
        received.push({ id: String(request.headers['webhook-id']), verified, body: text })
      } catch (error) {
        refused.push((error as Error).message)
      }
      behaviour(response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    received,
    refused,
    port,
    url: `http://127.0.0.1:${port}/hook`,
    most: () => underWayMost,
    behave: (next: Behaviour) => void (behaviour = next),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>
