import { Counter, Gauge } from 'prom-client'
import type { Service } from '@lettergate/service'
import type { SyntheticRehearsalState } from './synthetic-rehearsal.entity.ts'

/** Metrics of synthetic rehearsals. What happens inside a rehearsal is in its report and in no other metric. */
export function openRehearsalMetrics(service: Pick<Service, 'metrics'>) {
  const registers = [service.metrics]
  const ended = new Counter({
    name: 'lettergate_synthetic_rehearsals_total',
    help: 'Synthetic rehearsals that ended, by their state: completed, failed',
    labelNames: ['state'],
    registers,
  })
  const running = new Gauge({
    name: 'lettergate_synthetic_rehearsals_running',
    help: 'Synthetic rehearsals that this worker runs now: 0 or 1',
    registers,
  })
  return {
    ended: (state: SyntheticRehearsalState) => ended.inc({ state }),
    running: (count: 0 | 1) => running.set(count),
  }
}
