import type { AppliedCounts, Effects } from './import-report.ts'

/** Counts of which an import has another number than it must have, whatever people change at the same time. */
export type ImportFaults = Record<string, { expected: number; actual: number }>

/**
 * What an import has to answer for. The ledger has every applied row, the consent record has every consent and refusal of the
 * ledger, and no contact of it is gone without a deletion or an erasure. Differences between the report and the ledger are none:
 * every row is decided again when it is applied, by the state at that moment.
 */
export function faultsOf(rowsApplied: number, applied: AppliedCounts, effects: Effects): ImportFaults {
  const { consent_recorded, already_subscribed, suppressions_applied, already_refused } = applied
  const { blocked_by_suppression, needs_review, refused } = applied
  const ledgerRows =
    consent_recorded +
    already_subscribed +
    suppressions_applied +
    already_refused +
    blocked_by_suppression +
    needs_review +
    refused
  const checked: ImportFaults = {
    ledger_rows: { expected: rowsApplied, actual: ledgerRows },
    consents_in_record: { expected: consent_recorded, actual: effects.consents },
    suppressions_in_record: { expected: suppressions_applied, actual: effects.suppressions },
    contacts_lost: { expected: 0, actual: effects.contacts_lost },
    brought_back: { expected: 0, actual: effects.brought_back },
  }
  return Object.fromEntries(Object.entries(checked).filter(([, { expected, actual }]) => expected !== actual))
}
