import { Counter, Histogram } from 'prom-client'
import type { Service } from '@lettergate/service'

export interface Metrics {
  received: Counter<'event' | 'result'>
  refused: Counter<'reason'>
  ageSeconds: Histogram<'event'>
  batchItems: Histogram
}

/** Metrics of the intake: received events, their age, and refusals by reason. */
export function openMetrics(service: Service): Metrics {
  const registers = [service.metrics]
  return {
    received: new Counter({
      name: 'lettergate_webhook_events_total',
      help: 'Provider events stored or recognised',
      labelNames: ['event', 'result'],
      registers,
    }),
    refused: new Counter({
      name: 'lettergate_webhook_refusals_total',
      help: 'Webhook requests refused',
      labelNames: ['reason'],
      registers,
    }),
    ageSeconds: new Histogram({
      name: 'lettergate_webhook_event_age_seconds',
      help: 'Time from the event at the provider to its arrival here',
      labelNames: ['event'],
      buckets: [0.1, 0.5, 1, 5, 30, 120, 600, 3_600, 14_400, 32_400],
      registers,
    }),
    batchItems: new Histogram({
      name: 'lettergate_webhook_batch_items',
      help: 'Events stored by one transaction',
      buckets: [1, 2, 5, 10, 25, 50, 100, 200],
      registers,
    }),
  }
}
