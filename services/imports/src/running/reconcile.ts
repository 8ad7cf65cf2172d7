import type { CountImportRowsResponse, ImportEffects } from '@lettergate/contracts/contacts/v1/imports'
import type { Ctx } from '../ctx.ts'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import { countRows } from './import-batches.ts'
import {
  appliedCounts,
  reconciled,
  type AppliedCounts,
  type DryRunReport,
  type Effects,
  type Reconciliation,
} from './import-report.ts'
import { patientCall } from './patient-call.ts'
import { emptyTally, tallyOutcomes } from './row-tally.ts'
import { faultsOf, type ImportFaults } from './import-faults.ts'

/** Counts what contacts-consent did and has, and compares it with the approved report and with the number of applied rows. */
export async function reconcile(
  ctx: Ctx,
  job: ImportJobRow,
  rowsApplied: number,
): Promise<{ applied: AppliedCounts; reconciliation: Reconciliation; faults: ImportFaults }> {
  const tally = emptyTally()
  const effects: Effects = { contacts: 0, consents: 0, suppressions: 0, brought_back: 0, contacts_lost: 0 }
  let cursor: string | undefined
  do {
    const part: CountImportRowsResponse = await patientCall(ctx, () =>
      countRows(ctx, { importId: job.id, audienceId: job.audience_id, ...(cursor === undefined ? {} : { cursor }) }),
    )
    tallyOutcomes(tally, part.outcomes)
    if (part.effects) addEffects(effects, part.effects)
    cursor = part.nextCursor
  } while (cursor !== undefined)
  const applied = appliedCounts(tally)
  return {
    applied,
    reconciliation: reconciled(job.report as unknown as DryRunReport, applied, effects),
    faults: faultsOf(rowsApplied, applied, effects),
  }
}

function addEffects(sum: Effects, part: ImportEffects): void {
  const { contacts, consents, consentsForReview, withdrawals, suppressions, broughtBack, contactsLost } = part
  sum.contacts += contacts
  sum.consents += consents - consentsForReview
  sum.suppressions += withdrawals + suppressions
  sum.brought_back += broughtBack
  sum.contacts_lost += contactsLost
}
