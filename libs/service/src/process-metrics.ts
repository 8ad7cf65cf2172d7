import { Gauge, collectDefaultMetrics } from 'prom-client'
import { performance } from 'node:perf_hooks'
import type { Service } from './lifecycle.ts'

/** These metrics need a timer that wakes the process every 10 ms, which costs 0.3 % of a core in an idle process. */
const fromTimer = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (of) => `nodejs_eventloop_lag_${of}_seconds`,
)
const neverMs = 2 ** 31 - 1

/**
 * Process metrics (memory, processor time, garbage collection, use of the event loop) that cost nothing between scrapes. They
 * are global, so they are only for a separate process.
 */
export function collectProcessMetrics({ metrics }: Pick<Service, 'metrics'>): void {
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: neverMs })
  for (const name of fromTimer) metrics.removeSingleMetric(name)
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
