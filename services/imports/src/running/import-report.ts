import { changeFor } from './reason-advice.ts'
import { sumOf, type RowTally } from './row-tally.ts'

/** What a dry run answers: counts only. The valid rows are the duplicates and one row for each address. */
export interface DryRunReport {
  rows_total: number
  rows_valid: number
  rows_invalid: number
  invalid_reasons: Record<string, number>
  duplicate_rows: number
  contacts_new: number
  contacts_existing: number
  consent_to_record: number
  already_subscribed: number
  suppressions_to_apply: number
  already_refused: number
  blocked_by_suppression: number
  needs_review: number
  reasons: { reason: string; count: number; what_to_change: string }[]
}

/** What an apply did, by the ledger of contacts-consent. */
export interface AppliedCounts {
  contacts_new: number
  contacts_existing: number
  consent_recorded: number
  already_subscribed: number
  suppressions_applied: number
  already_refused: number
  blocked_by_suppression: number
  needs_review: number
  refused: number
}

/** What the tables of contacts-consent have at the end. */
export interface Effects {
  /** rows whose contact exists */
  contacts: number
  /** consents of this import in the consent record, without those that wait for a review */
  consents: number
  /** withdrawals and suppressions of this import in the consent record */
  suppressions: number
  /** people of the file who were refused and can get email now */
  brought_back: number
  /** contacts that the import wrote and that are gone, although nobody deleted or erased them */
  contacts_lost: number
}

export interface Reconciliation {
  expected: Record<string, number>
  actual: Record<string, number>
  matches: boolean
}

const inOrder = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** The report of a whole file, whose cells this delimiter separates. */
export function reportOf(tally: RowTally, delimiter: string): DryRunReport {
  const of = (outcome: string) => tally.outcomes.get(outcome) ?? 0
  const rowsInvalid = sumOf(tally.invalid)
  const rowsTotal = rowsInvalid + tally.duplicates + sumOf(tally.outcomes)
  return {
    rows_total: rowsTotal,
    rows_valid: rowsTotal - rowsInvalid,
    rows_invalid: rowsInvalid,
    invalid_reasons: inOrder(tally.invalid),
    duplicate_rows: tally.duplicates,
    contacts_new: tally.contacts.get('new') ?? 0,
    contacts_existing: tally.contacts.get('existing') ?? 0,
    consent_to_record: of('consent_recorded'),
    already_subscribed: of('already_subscribed'),
    suppressions_to_apply: of('withdrawn') + of('suppressed'),
    already_refused: of('already_refused'),
    blocked_by_suppression: of('blocked_by_suppression'),
    needs_review: of('needs_review'),
    reasons: reasonsOf(tally, delimiter),
  }
}

/** Every reason, the most frequent first. */
function reasonsOf({ invalid, reasons, duplicates }: RowTally, delimiter: string): DryRunReport['reasons'] {
  const counts = new Map(reasons)
  for (const [reason, count] of invalid) counts.set(reason, count + (counts.get(reason) ?? 0))
  if (duplicates > 0) counts.set('duplicate_address', duplicates)
  return [...counts]
    .toSorted(([one, few], [other, many]) => many - few || (one < other ? -1 : 1))
    .map(([reason, count]) => ({ reason, count, what_to_change: changeFor(reason, delimiter) }))
}

/** The counts of the applied rows, from the ledger. */
export function appliedCounts(tally: RowTally): AppliedCounts {
  const of = (outcome: string) => tally.outcomes.get(outcome) ?? 0
  return {
    contacts_new: tally.contacts.get('new') ?? 0,
    contacts_existing: tally.contacts.get('existing') ?? 0,
    consent_recorded: of('consent_recorded'),
    already_subscribed: of('already_subscribed'),
    suppressions_applied: of('withdrawn') + of('suppressed'),
    already_refused: of('already_refused'),
    blocked_by_suppression: of('blocked_by_suppression'),
    needs_review: of('needs_review'),
    refused: sumOf(tally.invalid),
  }
}

/** Compares the approved report with the ledger and with the tables. A change between dry run and apply shows here. */
export function reconciled(report: DryRunReport, applied: AppliedCounts, effects: Effects): Reconciliation {
  const expected = {
    contacts_new: report.contacts_new,
    contacts_existing: report.contacts_existing,
    contacts_in_tables: report.contacts_new + report.contacts_existing,
    consent_recorded: report.consent_to_record,
    consents_in_record: report.consent_to_record,
    already_subscribed: report.already_subscribed,
    suppressions_applied: report.suppressions_to_apply,
    suppressions_in_record: report.suppressions_to_apply,
    already_refused: report.already_refused,
    blocked_by_suppression: report.blocked_by_suppression,
    needs_review: report.needs_review,
    brought_back: 0,
  }
  const actual = {
    contacts_new: applied.contacts_new,
    contacts_existing: applied.contacts_existing,
    contacts_in_tables: effects.contacts,
    consent_recorded: applied.consent_recorded,
    consents_in_record: effects.consents,
    already_subscribed: applied.already_subscribed,
    suppressions_applied: applied.suppressions_applied,
    suppressions_in_record: effects.suppressions,
    already_refused: applied.already_refused,
    blocked_by_suppression: applied.blocked_by_suppression,
    needs_review: applied.needs_review,
    brought_back: effects.brought_back,
  }
  const names = Object.keys(expected) as (keyof typeof expected)[]
  return { expected, actual, matches: names.every((name) => expected[name] === actual[name]) }
}
