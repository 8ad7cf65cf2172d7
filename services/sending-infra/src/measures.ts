import type { Service } from '@lettergate/service'
import { Counter, Histogram } from 'prom-client'

/** What an operator asks this service: does the provider answer, does DNS answer, do domains pass. */
export const openMeasures = (service: Service) => ({
  providerCall: new Histogram({
    name: 'lettergate_provider_call_seconds',
    help: 'Time of one read or webhook registration at the mail provider',
    labelNames: ['operation', 'outcome'] as const,
    registers: [service.metrics],
  }),
  dnsQuestion: new Histogram({
    name: 'lettergate_dns_question_seconds',
    help: 'Time of one DNS question of a domain check',
    labelNames: ['type', 'outcome'] as const,
    registers: [service.metrics],
  }),
  domainChecks: new Counter({
    name: 'lettergate_domain_checks_total',
    help: 'Sending domain checks by what they found',
    labelNames: ['verdict'] as const,
    registers: [service.metrics],
  }),
})

export type Measures = ReturnType<typeof openMeasures>
