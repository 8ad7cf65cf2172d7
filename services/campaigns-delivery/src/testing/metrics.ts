import { Counter } from 'prom-client'
import type { Service } from '@lettergate/service'
import type { TestPurpose } from './conditions.ts'

/** What an operator asks of testing, as numbers. */
export interface TestingMetrics {
  /** One request that was no repeat: accepted, failed, unknown, or refused by a condition. */
  countTestSend(purpose: TestPurpose, outcome: string): void
  /** Rehearsals that nobody's events verified in time. */
  countOverdueRehearsals(count: number): void
}

export function openTestingMetrics(service: Service): TestingMetrics {
  const registers = [service.metrics]
  const testSends = new Counter({
    name: 'lettergate_test_sends_total',
    help: 'Test sends and rehearsals by what became of the request',
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
