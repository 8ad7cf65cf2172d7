import { createServer, type AddressInfo, type Socket } from 'node:net'
import { openBalancer } from './balancer.ts'
import { serveClient } from './serve-client.ts'

export interface EdgeOptions {
  port: number
  /** one URL, or one for each replica, separated by commas */
  gatewayUrl: string
  webhookUrl: string
  /** With several replicas: the URL of the health port of each, in the same order. */
  gatewayHealthUrl?: string
  webhookHealthUrl?: string
  /** Timeout from the last byte of the request until an answer begins, milliseconds; longer than the longest timeout of the gateway, 120 s. */
  answerTimeoutMs?: number
}

export interface Edge {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/**
 * The public address: `/webhooks/*` goes to webhook-intake, everything else to the gateway. It parses only heads and copies
 * bodies. A request goes to another replica only if no connection was opened. If no replica can be reached, the answer is 503; if one
 * disconnects before its answer, it is 502, both as HTML.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const gateway = openBalancer({ urls: options.gatewayUrl, healthUrls: options.gatewayHealthUrl ?? '' })
  const webhooks = openBalancer({ urls: options.webhookUrl, healthUrls: options.webhookHealthUrl ?? '' })
  const clients = new Set<Socket>()
  const routes = {
    replicasFor: (path: string) => (isWebhook(path) ? webhooks : gateway),
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
