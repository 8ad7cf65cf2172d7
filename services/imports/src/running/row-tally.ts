import type { ImportOutcome } from '@lettergate/contracts/contacts/v1/imports'

type Outcome = Pick<ImportOutcome, 'outcome' | 'contact' | 'reasons' | 'rows'>

/** The rows of a file, counted by what they mean. Counts only: no row number, no address. */
export interface RowTally {
  /** rows that cannot be used, each by one reason */
  readonly invalid: Map<string, number>
  duplicates: number
  /** rows that contacts-consent decided, by outcome; without refused rows, which are invalid */
  readonly outcomes: Map<string, number>
  /** rows that write a contact: new and existing */
  readonly contacts: Map<string, number>
  /** reasons of outcomes and of values that were left out, and the further reasons of invalid rows */
  readonly reasons: Map<string, number>
}

const add = (counts: Map<string, number>, key: string, rows: number) => counts.set(key, (counts.get(key) ?? 0) + rows)

export const emptyTally = (): RowTally => ({
  invalid: new Map(),
  duplicates: 0,
  outcomes: new Map(),
  contacts: new Map(),
  reasons: new Map(),
})

/** Counts one row that cannot be used. */
export const tallyInvalid = (tally: RowTally, reason: string): void => void add(tally.invalid, reason, 1)

/** Adds outcomes of contacts-consent. */
export function tallyOutcomes(tally: RowTally, outcomes: readonly Outcome[]): void {
  for (const { outcome, contact, reasons, rows } of outcomes) {
    if (rows === 0) continue
    if (outcome === 'refused') add(tally.invalid, reasons[0] ?? 'refused', rows)
    else add(tally.outcomes, outcome, rows)
    if (contact !== '') add(tally.contacts, contact, rows)
    for (const reason of outcome === 'refused' ? reasons.slice(1) : reasons) add(tally.reasons, reason, rows)
  }
}

export const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)
