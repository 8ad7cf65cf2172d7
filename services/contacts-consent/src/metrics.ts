import { Counter } from 'prom-client'
import type { Service } from '@lettergate/service'

/** The metrics of this service. Labels never contain a contact or a workspace. */
export function contactsMetrics(service: Pick<Service, 'metrics'>) {
  const registers = [service.metrics]
  const decisions = new Counter({
    name: 'lettergate_eligibility_decisions_total',
    help: 'Eligibility decisions by result and first reason',
    labelNames: ['result', 'reason'],
    registers,
  })
  const suppressions = new Counter({
    name: 'lettergate_suppressions_created_total',
    help: 'New suppressions by scope and reason',
    labelNames: ['scope', 'reason'],
    registers,
  })
  const unsubscribes = new Counter({
    name: 'lettergate_unsubscribes_total',
    help: 'Withdrawals by the way they came: api, one_click, preference_page, provider',
    labelNames: ['via'],
    registers,
  })
  const linkRepeats = new Counter({
    name: 'lettergate_preference_link_repeats_total',
    help: 'Uses of preference links that changed nothing: one_click, preference_page',
    labelNames: ['via'],
    registers,
  })
  const sourceEvents = new Counter({
    name: 'lettergate_source_events_total',
    help: 'Events of subscription sources: accepted, duplicate, review_required, suppressed, refused, failed',
    labelNames: ['status'],
    registers,
  })
  const confirmations = new Counter({
    name: 'lettergate_sign_up_confirmations_total',
    help: 'Uses of confirmation links: confirmed, expired, withdrawn, refused, gone',
    labelNames: ['outcome'],
    registers,
  })
  const erasureReportsIgnored = new Counter({
    name: 'lettergate_erasure_reports_ignored_total',
    help: 'Reports of what was removed of an erased person that came from another service than they named',
    registers,
  })
  return {
    /** Counts verdicts, each by its reasons; an empty list is an eligible one. */
    decided(verdicts: readonly (readonly string[])[]) {
      for (const [reason, found] of Map.groupBy(verdicts, (reasons) => reasons[0] ?? '')) {
        decisions.inc({ result: reason === '' ? 'eligible' : 'excluded', reason }, found.length)
      }
    },
    suppressed: (created: readonly { scope: string; reason: string }[]) => {
      for (const { scope, reason } of created) suppressions.inc({ scope, reason })
    },
    sourceEvent: (status: string) => sourceEvents.inc({ status }),
    confirmation: (outcome: string) => confirmations.inc({ outcome }),
    erasureReportIgnored: () => erasureReportsIgnored.inc(),
    linkRepeated: (via: string) => linkRepeats.inc({ via }),
    unsubscribed: (via: string, count = 1) => unsubscribes.inc({ via }, count),
  }
}

export type ContactsMetrics = ReturnType<typeof contactsMetrics>
