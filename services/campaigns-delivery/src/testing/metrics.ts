import { Counter } from 'prom-client'
import type { Service } from '@lettergate/service'
import type { TestPurpose } from './conditions.ts'

/** Metrics of test sends and rehearsals. */
export interface TestingMetrics {
  /** Counts one request that is not a repeat: accepted, failed, unknown, or refused by a condition. */
  countTestSend(purpose: TestPurpose, outcome: string): void
  /** Counts rehearsals whose events did not arrive in time. */
  countOverdueRehearsals(count: number): void
}

export function openTestingMetrics(service: Service): TestingMetrics {
  const registers = [service.metrics]
  const testSends = new Counter({
    name: 'lettergate_test_sends_total',
    help: 'Test sends and rehearsals by the result of the request',
    labelNames: ['purpose', 'outcome'],
    registers,
  })
  const overdue = new Counter({
    name: 'lettergate_rehearsals_overdue_total',
    help: 'Rehearsals that failed because expected provider events did not come in time',
    registers,
  })
  return {
    countTestSend: (purpose, outcome) => testSends.inc({ purpose, outcome }),
    countOverdueRehearsals: (count) => overdue.inc(count),
  }
}
