import type { CountImportRowsResponse, ImportEffects } from '@lettergate/contracts/contacts/v1/imports'
import type { Ctx } from '../ctx.ts'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import { callsAtOnce } from './calls-at-once.ts'
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

/** As many as contacts-consent counts in a call. */
const partRows = 10_000
/** A part takes one session of the database, and little of the processes. */
const countsAtOnce = 3

/** Counts what contacts-consent did and has, and compares it with the approved report and with the number of applied rows. */
export async function reconcile(
  ctx: Ctx,
  job: ImportJobRow,
  rowsApplied: number,
): Promise<{ applied: AppliedCounts; reconciliation: Reconciliation; faults: ImportFaults }> {
  const tally = emptyTally()
  const effects: Effects = { contacts: 0, consents: 0, suppressions: 0, brought_back: 0, contacts_lost: 0 }
  const calls = callsAtOnce(countsAtOnce)
  const rowsTotal = Number(job.report['rows_total'])
  const count = async (firstRow: number) => {
    const lastRow = Math.min(firstRow + partRows - 1, rowsTotal)
    const { id: importId, audience_id: audienceId, apply_number: applyNumber } = job
    const asked = { importId, applyNumber, audienceId, firstRow, lastRow }
    const part: CountImportRowsResponse = await patientCall(ctx, () => countRows(ctx, asked))
    tallyOutcomes(tally, part.outcomes)
    if (part.effects) addEffects(effects, part.effects)
  }
  try {
    for (let firstRow = 1; firstRow <= rowsTotal; firstRow += partRows) await calls.add(() => count(firstRow))
    await calls.finished()
  } finally {
    await calls.settled()
  }
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
