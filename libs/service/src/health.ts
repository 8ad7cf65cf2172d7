import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Part, Service } from './lifecycle.ts'

const checkTimeoutMs = 1_500

/** What a health port shows. */
export interface Observed extends Pick<Service, 'name' | 'role' | 'log' | 'checks' | 'httpBindAddress'> {
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> }
}

/** Checks of the process itself (run.ts), also with the name of a service before them. */
const ofProcess = /(^|: )(started|stopping)$/

async function failures(service: Observed, isAsked: (name: string) => boolean): Promise<string[]> {
  const asked = [...service.checks].filter(([name]) => isAsked(name))
  const results = await Promise.all(
    asked.map(async ([name, check]) => {
      let timer: NodeJS.Timeout | undefined
      try {
        const timeout = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error('timed out')), checkTimeoutMs).unref()
        })
        // A check that throws rejects here too, so that the timeout is always observed.
        await Promise.race([(async () => check())(), timeout])
        return []
      } catch (error) {
        service.log.warn({ check: name, err: error }, 'not ready')
        return [name]
      } finally {
        clearTimeout(timer)
      }
    }),
  )
  return results.flat()
}

/**
 * Serves `/healthz` (the process is alive, no checks), `/readyz` (every readiness check, 503 if one fails), `/readyz/process`
 * (it has started and is not stopping) and `/metrics`. Replicas share their database, broker and other services, so a balancer
 * that asked `/readyz` would take all of them out at once, and nobody would get even the error page.
 */
export async function serveHealth(service: Observed, port: number): Promise<Part & { port: number }> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type }).end(body)
    const path = request.url?.split('?')[0]
    if (path === '/healthz') {
      answer(200, 'application/json', JSON.stringify({ status: 'ok', service: service.name, role: service.role }))
    } else if (path === '/readyz' || path === '/readyz/process') {
      void failures(service, (name) => path === '/readyz' || ofProcess.test(name)).then((failed) =>
        answer(
          failed.length === 0 ? 200 : 503,
          'application/json',
          JSON.stringify({ status: failed.length === 0 ? 'ok' : 'unavailable', failed }),
        ),
      )
    } else if (path === '/metrics') {
      void service.metrics.metrics().then(
        (text) => answer(200, service.metrics.contentType, text),
        () => answer(500, 'text/plain', 'metrics are not readable'),
      )
    } else answer(404, 'text/plain', 'not found')
  })
  server.listen(port, service.httpBindAddress)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close').catch(() => undefined)
    },
  }
}
