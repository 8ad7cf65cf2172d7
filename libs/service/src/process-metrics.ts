import { Gauge, collectDefaultMetrics } from 'prom-client'
import { performance } from 'node:perf_hooks'
import type { Service } from './lifecycle.ts'

/** These metrics need a timer that wakes the process every 10 ms, which costs 0.3 % of a core in an idle process. */
const fromTimer = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (of) => `nodejs_eventloop_lag_${of}_seconds`,
)
const startTime = 'process_start_time_seconds'
const neverMs = 2 ** 31 - 1

/**
 * Process metrics (memory, processor time, garbage collection, use of the event loop) that cost nothing between scrapes. They
 * are global, so they are only for a separate process.
 */
export function collectProcessMetrics(service: Pick<Service, 'metrics'>): void {
  const { metrics } = service
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: neverMs })
  for (const name of [...fromTimer, startTime]) metrics.removeSingleMetric(name)
  collectStartTime(service)
  let last = performance.eventLoopUtilization()
  new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the last reading in which the event loop was busy, 0 to 1',
    registers: [metrics],
    collect() {
      const now = performance.eventLoopUtilization()
      this.set(performance.eventLoopUtilization(now, last).utilization)
      last = now
    },
  })
}

/**
 * The start of the process. Rules and dashboards find each service by it, also those that share a process, and the metric of
 * prom-client would be left out where the metrics of several services are put together.
 */
export function collectStartTime({ metrics }: Pick<Service, 'metrics'>): void {
  new Gauge({
    name: startTime,
    help: 'Start time of the process since unix epoch in seconds.',
    registers: [metrics],
  }).set(Math.round(performance.timeOrigin / 1000))
}
