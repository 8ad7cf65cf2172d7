import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import type { ImportFaults } from './import-faults.ts'

/** Raises an alert if an import has faults: critical if somebody who was refused can get email now. */
export async function alertReconciliation(
  em: Em,
  job: Pick<ImportJobRow, 'id' | 'workspace_id'>,
  faults: ImportFaults,
): Promise<void> {
  if (Object.keys(faults).length === 0) return
  const detail = { workspace_id: job.workspace_id, import_id: job.id, differences: faults }
  if (faults['brought_back'])
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
      summary: 'The ledger of an import lacks rows of its file, or the tables lack what the ledger says.',
      detail,
    })
}
