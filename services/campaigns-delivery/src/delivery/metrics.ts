import { Counter, Gauge, Histogram } from 'prom-client'
import type { Service } from '@lettergate/service'

/** Metrics of hand-offs. Workers hand over messages of campaigns and automations; the api hands over test sends. */
export type DeliveryMetrics = ReturnType<typeof openDeliveryMetrics>

/** Registers the metrics of a process that hands messages over. */
export function openDeliveryMetrics(service: Pick<Service, 'metrics'>) {
  const registers = [service.metrics]
  const verdictSeconds = new Histogram({
    name: 'lettergate_verdict_to_hand_off_seconds',
    help: 'Time between the request for verdicts and the first byte of the call that uses them; at most 4',
    buckets: [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4],
    registers,
  })
  const verdictMaxSeconds = new Gauge({
    name: 'lettergate_verdict_to_hand_off_max_seconds',
    help: 'The longest such time since this process started',
    registers,
  })
  let longest = 0
  return {
    /** Records the age of the verdicts when the first byte of a call is written. */
    observeVerdictAge(seconds: number): void {
      verdictSeconds.observe(seconds)
      if (seconds <= longest) return
      longest = seconds
      verdictMaxSeconds.set(seconds)
    },
    postponed: new Counter({
      name: 'lettergate_batches_postponed_total',
      help: 'Batches that were postponed because their connection is in cooldown (cooldown), ahead of its rate (paced) or at its call limit (connection_full), because this worker is at its call limit (worker_full), because verdicts expired three times (verdicts_late), because a service did not answer (unavailable), or because of another error (error)',
      labelNames: ['why'],
      registers,
    }),
    rejudged: new Counter({
      name: 'lettergate_batches_rejudged_total',
      help: 'Messages of a batch, a test or an automation that were judged again, because their verdicts were 2 s old, a recipient withdrew, or a gate, the workspace, the sender or its domain changed',
      registers,
    }),
    transitions: new Counter({
      name: 'lettergate_recipients_total',
      help: 'Recipients by their new state',
      labelNames: ['state'],
      registers,
    }),
    handOffs: new Counter({
      name: 'lettergate_hand_offs_total',
      help: 'Calls that hand messages to the provider, by result, and by what the messages belong to: run, test_send or automation',
      labelNames: ['kind', 'result'],
      registers,
    }),
    handOffSeconds: new Histogram({
      name: 'lettergate_hand_off_seconds',
      help: 'Time of one messages call to the provider',
      enableExemplars: true,
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
      registers,
    }),
    intentSeconds: new Histogram({
      name: 'lettergate_intent_to_hand_off_seconds',
      help: 'Time between an intent and its hand-off; above 2 it is put back',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5],
      registers,
    }),
  }
}
