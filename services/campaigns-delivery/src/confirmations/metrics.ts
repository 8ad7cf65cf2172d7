import { Counter } from 'prom-client'
import type { Service } from '@lettergate/service'

/** Metrics of the emails that ask to confirm a sign-up. */
export interface ConfirmationMetrics {
  countConfirmationEmail(outcome: string): void
}

export function openConfirmationMetrics(service: Service): ConfirmationMetrics {
  const emails = new Counter({
    name: 'lettergate_confirmation_emails_total',
    help: 'Confirmation emails by what became of them: accepted, skipped, failed, unknown, or pending after a call that did not happen',
    labelNames: ['outcome'],
    registers: [service.metrics],
  })
  return { countConfirmationEmail: (outcome) => emails.inc({ outcome }) }
}
