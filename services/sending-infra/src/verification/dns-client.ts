import { Resolver } from 'node:dns/promises'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { DnsQuery, DnsAnswer, DnsType } from '../records/dns-answer.ts'
import type { SendingMetrics } from '../metrics.ts'

export interface DnsSettings {
  /** `ip:port` each; if empty, the system's servers are used */
  servers: readonly string[]
  timeoutMs: number
  tries: number
  metrics: SendingMetrics
}

export interface AnsweredQuery {
  /** such as `TXT mail.example.com` */
  readonly question: string
  readonly answer: DnsAnswer
}

/** A series of DNS queries that records the queries and answers. */
export interface DnsSession {
  readonly server: string
  readonly queries: readonly AnsweredQuery[]
  ask: DnsQuery
}

export interface DnsClient {
  /** Opens a session. Aborting the signal cancels its open queries. */
  session(signal: AbortSignal): DnsSession
}

const nothingThere = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

async function valuesOf(resolver: Resolver, name: string, type: DnsType): Promise<string[]> {
  switch (type) {
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((chunks) => chunks.join(''))
    case 'CNAME':
      return resolver.resolveCname(name)
    case 'A':
      return resolver.resolve4(name)
    case 'AAAA':
      return resolver.resolve6(name)
    case 'MX':
      return (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange}`)
  }
}

/** Queries only the configured servers, with the configured timeout and tries. A name that does not exist is an answer. */
export const dnsClient = (settings: DnsSettings): DnsClient => ({
  session(signal) {
    const resolver = new Resolver({ timeout: settings.timeoutMs, tries: settings.tries })
    if (settings.servers.length > 0) resolver.setServers(settings.servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    const queries: AnsweredQuery[] = []

    async function resolve(name: string, type: DnsType): Promise<DnsAnswer> {
      if (signal.aborted) return { kind: 'no_answer', why: 'there was no time left to ask' }
      try {
        const values = await valuesOf(resolver, name, type)
        return values.length === 0 ? { kind: 'none' } : { kind: 'records', values }
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN'
        return nothingThere.has(code) ? { kind: 'none' } : { kind: 'no_answer', why: code }
      }
    }

    return {
      server: resolver.getServers().join(', '),
      queries,
      async ask(name, type) {
        const started = performance.now()
        const attributes = { 'dns.question.name': name, 'dns.question.type': type }
        const answer = await traced(`dns ${type}`, { kind: SpanKind.CLIENT, attributes }, () => resolve(name, type))
        settings.metrics.dnsQuery.observe({ type, outcome: answer.kind }, (performance.now() - started) / 1_000)
        queries.push({ question: `${type} ${name}`, answer })
        return answer
      },
    }
  },
})
