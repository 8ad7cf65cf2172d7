import type { PreflightFacts } from './preflight-facts.ts'
import { unread, type CheckResult, type Rule } from './rule.ts'

/** More waiting provider events than these make reports late. */
const waitingEventsMax = 1_000
/** More waiting suppressions than these are a backlog: they are few and handled at once. */
const waitingSuppressionsMax = 100

/** What makes a campaign slow or its report late. Each warns. */
export const deliveryRules: readonly Rule[] = [
  { code: 'delivery_workers', label: 'Delivery workers', otherwise: 'warn', find: deliveryWorkers },
  { code: 'event_backlog', label: 'Backlog of provider events', otherwise: 'warn', find: eventBacklog },
  { code: 'suppression_feed', label: 'Feed of suppressions', otherwise: 'warn', find: suppressionFeed },
]

function deliveryWorkers({ queue }: PreflightFacts): CheckResult {
  if (!queue) return unread('NATS')
  return {
    holds: queue.waiting > 0 || queue.underWay > 0,
    detail:
      queue.waiting > 0 || queue.underWay > 0
        ? 'Delivery workers take batches from the queue.'
        : 'No delivery worker takes batches from the queue.',
    evidence: { requests_waiting_for_batches: queue.waiting, batches_under_way: queue.underWay },
    remediation: 'Start at least one worker of campaigns-delivery.',
  }
}

function eventBacklog({ providerEvents }: PreflightFacts): CheckResult {
  if (!providerEvents) return unread('NATS')
  return {
    holds: providerEvents.exists && providerEvents.pending <= waitingEventsMax,
    detail: providerEvents.exists
      ? `${providerEvents.pending} provider events wait until they are counted.`
      : 'No worker has ever asked for provider events.',
    evidence: { waiting_events: providerEvents.pending, most: waitingEventsMax },
    remediation: 'Wait until the workers have counted these events, or start more workers of campaigns-delivery.',
  }
}

function suppressionFeed({ suppressions }: PreflightFacts): CheckResult {
  if (!suppressions) return unread('NATS')
  const missing = suppressions.some(({ exists }) => !exists)
  const pending = suppressions.reduce((sum, one) => sum + one.pending, 0)
  return {
    holds: !missing && pending <= waitingSuppressionsMax,
    detail: missing
      ? 'No worker has ever asked for suppressions.'
      : `${pending} suppressions and withdrawals wait until the workers have read them.`,
    evidence: { waiting_events: pending, most: waitingSuppressionsMax },
    remediation:
      'Start a worker of campaigns-delivery. Eligibility is checked before each hand-off in any case; a late feed makes a stop slower.',
  }
}
