import { createServer, type AddressInfo, type Socket } from 'node:net'
import { serveClient } from './serve-client.ts'
import { upstreamOf } from './upstream.ts'

export interface EdgeOptions {
  port: number
  gatewayUrl: string
  webhookUrl: string
  /** How long an answer may take to begin, milliseconds; longer than the longest that the gateway waits for, 120 s. */
  answerTimeoutMs?: number
}

export interface Edge {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/**
 * The one public address: `/webhooks/*` goes to webhook-intake, everything else to the gateway. Only heads are parsed;
 * bodies pass both ways byte by byte. What cannot be reached is 503, what breaks off before it answers 502, both as HTML.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const gateway = upstreamOf(options.gatewayUrl)
  const webhooks = upstreamOf(options.webhookUrl)
  const clients = new Set<Socket>()
  const routes = {
    upstreamFor: (path: string) => (isWebhook(path) ? webhooks : gateway),
    connectTimeoutMs: 2_000,
    answerTimeoutMs: options.answerTimeoutMs ?? 130_000,
  }
  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    serveClient(client, routes)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port, host: '127.0.0.1', backlog: 2048 }, resolve)
  })
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const client of clients) client.destroy()
    })
    gateway.stop()
    webhooks.stop()
  }
  return { url: `http://127.0.0.1:${port}`, port, stop }
}

const isWebhook = (path: string) => /^\/webhooks(?:[/?]|$)/.test(path)
