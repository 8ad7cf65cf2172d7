import { Counter, Histogram } from 'prom-client'
import { labelledGauge, type Service } from '@lettergate/service'

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

const lagOf = new WeakMap<Service, Map<string, () => Promise<number>>>()

/** Reports for each scrape how far a consumer is behind, as the server says. */
export function reportLag(service: Service, consumer: string, read: () => Promise<number>): void {
  const known = lagOf.get(service) ?? new Map<string, () => Promise<number>>()
  known.set(consumer, read)
  if (lagOf.has(service)) return
  lagOf.set(service, known)
  labelledGauge(service, {
    name: 'lettergate_consumer_lag_messages',
    help: 'Messages, each with one or more events, that a consumer has not settled, over all processes of the service',
    labelNames: ['consumer'],
    read: async () => {
      const values = await Promise.allSettled(Array.from(known.values(), (lag) => lag()))
      return [...known.keys()].flatMap((name, index) => {
        const found = values[index]!
        if (found.status === 'fulfilled') return [{ consumer: name, value: found.value }]
        service.log.warn({ err: found.reason as unknown, consumer: name }, 'the lag of a consumer cannot be read')
        return []
      })
    },
  })
}
