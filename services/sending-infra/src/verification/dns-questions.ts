import { Resolver } from 'node:dns/promises'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { Ask, DnsAnswer, DnsType } from '../domain/dns-answer.ts'
import type { Measures } from '../measures.ts'

export interface DnsSettings {
  /** ip:port each; empty means the system's */
  servers: readonly string[]
  timeoutMs: number
  tries: number
  measures: Measures
}

export interface AskedQuestion {
  /** such as `TXT mail.example.com` */
  readonly question: string
  readonly answer: DnsAnswer
}

/** One line of questions to the DNS, remembering what was asked and answered. */
export interface DnsLine {
  readonly server: string
  readonly asked: readonly AskedQuestion[]
  ask: Ask
}

export interface DnsQuestions {
  /** Opens a line of its own; aborting the signal gives up everything still being asked on it. */
  line(signal: AbortSignal): DnsLine
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

/** Asks the configured servers and no others, with their timeout and tries; a name that does not exist is an answer. */
export const dnsQuestions = (settings: DnsSettings): DnsQuestions => ({
  line(signal) {
    const resolver = new Resolver({ timeout: settings.timeoutMs, tries: settings.tries })
    if (settings.servers.length > 0) resolver.setServers(settings.servers)
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    const asked: AskedQuestion[] = []

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
      asked,
      async ask(name, type) {
        const started = performance.now()
        const attributes = { 'dns.question.name': name, 'dns.question.type': type }
        const answer = await traced(`dns ${type}`, { kind: SpanKind.CLIENT, attributes }, () => resolve(name, type))
        settings.measures.dnsQuestion.observe({ type, outcome: answer.kind }, (performance.now() - started) / 1_000)
        asked.push({ question: `${type} ${name}`, answer })
        return answer
      },
    }
  },
})
