import { Counter } from 'prom-client'
import type { Service } from '@lettergate/service'

/** Metrics of the emails of automations. */
export interface AutomationMetrics {
  /** Counts the emails of steps by what became of them. */
  countAutomationEmails(outcome: string, emails: number): void
}

export function openAutomationMetrics(service: Service): AutomationMetrics {
  const emails = new Counter({
    name: 'lettergate_automation_emails_total',
    help: 'Emails of automation steps by what became of them: accepted, skipped, failed, unknown, or pending after a call that did not happen',
    labelNames: ['outcome'],
    registers: [service.metrics],
  })
  return { countAutomationEmails: (outcome, count) => emails.inc({ outcome }, count) }
}
