import { Counter } from 'prom-client'
import { column, sql, statement } from '@lettergate/database'
import { gauge, labelledGauge, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { countedMax, readDueWork } from './due-work.ts'

export interface EngineMetrics {
  readonly steps: Counter<'node_type' | 'outcome'>
}

const countHeld = statement('count-held-enrollments', { count: column.integer() })
const countByState = statement('count-enrollments-by-state', {
  state: column.text(),
  value: column.integer(),
})
const countClaimed = statement('count-claimed-enrollments', { count: column.integer() })

/** Registers what the engine counts. The gauges are about all workers. */
export function openEngineMetrics(service: Service, system: Ctx): EngineMetrics {
  let asked: ReturnType<typeof readDueWork> | undefined
  /** One statement for the gauges of one scrape. */
  const due = () => {
    asked ??= system.tx(readDueWork).finally(() => (asked = undefined))
    return asked
  }
  gauge(service, {
    name: 'lettergate_enrollments_due',
    help: `Enrollments whose step is due and that no worker has taken, at most ${countedMax} counted for each workspace`,
    read: async () => (await due()).due,
  })
  gauge(service, {
    name: 'lettergate_enrollment_oldest_due_seconds',
    help: 'How long the oldest due step has been due',
    read: async () => (await due()).oldest ?? 0,
  })
  gauge(service, {
    name: 'lettergate_enrollments_claimed',
    help: 'Enrollments whose step a worker has taken',
    read: async () =>
      (await system.tx((em) =>
        countClaimed.row(
          em,
          sql`select coalesce(sum(cardinality(enrollment_ids)), 0)::int as count from enrollment_claims`,
        ),
      ))!.count,
  })
  gauge(service, {
    name: 'lettergate_enrollments_held',
    help: `Enrollments that were due while their automation was not published, at most ${countedMax} counted`,
    read: async () =>
      (await system.tx((em) =>
        countHeld.row(em, sql`select count(*)::int as count from (select from held_enrollments limit ${countedMax}) h`),
      ))!.count,
  })
  labelledGauge(service, {
    name: 'lettergate_enrollments',
    help: 'Enrollments of all automations, by state',
    labelNames: ['state'],
    read: () =>
      system.tx((em) =>
        countByState.rows(
          em,
          // Steps of a node may have failed too; the ends of enrollments have no node.
          sql`select counted as state, sum(count)::int as value from node_counts
               where counted in ('active', 'waiting', 'paused') or node_key = '' group by counted`,
        ),
      ),
  })
  return {
    steps: new Counter({
      name: 'lettergate_enrollment_steps_total',
      help: 'Finished steps of automations, by type of the node and outcome',
      labelNames: ['node_type', 'outcome'],
      registers: [service.metrics],
    }),
  }
}
