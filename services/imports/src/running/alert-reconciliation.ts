import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import type { Reconciliation } from './import-report.ts'

/** Raises an alert if an import did not do what its approved report says: critical if somebody who was refused can get email now. */
export async function alertReconciliation(
  em: Em,
  job: Pick<ImportJobRow, 'id' | 'workspace_id'>,
  { expected, actual, matches }: Reconciliation,
): Promise<void> {
  if (matches) return
  const names = Object.keys(expected).filter((name) => expected[name] !== actual[name])
  const differences = Object.fromEntries(
    names.map((name) => [name, { expected: expected[name]!, actual: actual[name]! }]),
  )
  const detail = { workspace_id: job.workspace_id, import_id: job.id, differences }
  if (actual['brought_back'] !== 0)
    await publish(em, AlertRaisedSchema, {
      code: 'import_brought_back',
      severity: 'critical',
      summary: 'People who were refused before an import, or by it, can get email of its audience after it.',
      detail,
    })
  else
    await publish(em, AlertRaisedSchema, {
      code: 'import_not_reconciled',
      severity: 'warning',
      summary: 'An import did something else than its approved report said.',
      detail,
    })
}
