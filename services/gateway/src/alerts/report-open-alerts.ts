import { column, columns, sql, statement } from '@lettergate/database'
import { labelledGauge, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { Alert } from './alert.entity.ts'

const countOpen = statement('count-open-alerts', { ...columns(Alert, 'code', 'severity'), value: column.integer() })

/** Registers the gauge from which Prometheus raises each open alert. Every gateway reports the same numbers. */
export function reportOpenAlerts(service: Service, system: Ctx): void {
  labelledGauge(service, {
    name: 'lettergate_alerts_open',
    help: 'Alerts of the console that are neither acknowledged nor over, by code',
    labelNames: ['code', 'severity'],
    read: () =>
      system.tx((em) =>
        countOpen.rows(
          em,
          sql`select code, severity, count(*)::int as value from alerts where acknowledged_at is null group by code, severity`,
        ),
      ),
  })
}
