import { AlertRaisedSchema, AuditRecordedSchema, GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import { column, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'

const actor = 'after-restore'

const closeGates = statement('close-gates-of-another-database', { name: column.text() })

/**
 * Closes every gate if this database is not the one in which they were opened: it was restored, or a standby was promoted. Both may
 * have lost consent that was withdrawn and messages that were sent. The limits on requests stay on. Any number of replicas may call it.
 */
export async function closeRestoredGates(em: Em): Promise<void> {
  const closed = await closeGates.rows(
    em,
    sql`with moved as (
          update database_marker set marker = current_database_marker()
           where marker <> current_database_marker() returning marker)
        update platform_gates set stored = false, updated_by = ${actor}, updated_at = now()
         where stored and name <> 'rate_limit_enabled' and exists (select from moved)
        returning name`,
  )
  if (closed.length === 0) return
  const gates = closed.map(({ name }) => name)
  for (const name of gates) await publish(em, GateChangedSchema, { name, effective: false })
  await publish(em, AuditRecordedSchema, {
    action: 'platform_gates_closed',
    subjectType: 'platform_gate',
    subjectId: 'all',
    actor,
    detail: { gates },
  })
  await publish(em, AlertRaisedSchema, {
    code: 'gates_closed_after_restore',
    severity: 'critical',
    summary: 'The database was restored, or a standby was promoted, and the gates are closed.',
    detail: { gates },
    about: 'database',
  })
}
