import { Counter, Histogram } from 'prom-client'
import type { Service } from '@lettergate/service'

/** Counts the events of all consumers of a service, by outcome. */
export function eventCounter(service: Service) {
  const name = 'lettergate_events_handled_total'
  return (
    (service.metrics.getSingleMetric(name) as Counter | undefined) ??
    new Counter({
      name,
      help: 'Events handled, retried, waiting for a service after ten attempts, kept as dead letters, replayed from there or dropped as unreadable',
      labelNames: ['consumer', 'outcome'],
      registers: [service.metrics],
    })
  )
}

/** The time that consumers take to handle a batch. */
export function batchDuration(service: Service) {
  const name = 'lettergate_events_process_seconds'
  return (
    (service.metrics.getSingleMetric(name) as Histogram | undefined) ??
    new Histogram({
      name,
      help: 'Time to handle one batch of events',
      labelNames: ['consumer'],
      registers: [service.metrics],
    })
  )
}
