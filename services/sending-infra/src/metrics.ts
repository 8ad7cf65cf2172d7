import type { Service } from '@lettergate/service'
import { Counter, Histogram } from 'prom-client'

/** Metrics of provider calls, DNS queries and domain checks. */
export const openMetrics = (service: Service) => ({
  providerCall: new Histogram({
    name: 'lettergate_provider_call_seconds',
    help: 'Time of one read or webhook registration at the mail provider',
    labelNames: ['operation', 'outcome'] as const,
    registers: [service.metrics],
  }),
  dnsQuery: new Histogram({
    name: 'lettergate_dns_question_seconds',
    help: 'Time of one DNS query of a domain check',
    labelNames: ['type', 'outcome'] as const,
    registers: [service.metrics],
  }),
  domainChecks: new Counter({
    name: 'lettergate_domain_checks_total',
    help: 'Sending domain checks by verdict',
    labelNames: ['verdict'] as const,
    registers: [service.metrics],
  }),
})

export type SendingMetrics = ReturnType<typeof openMetrics>
