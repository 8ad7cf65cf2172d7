import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ImportOutcomeSchema } from '@lettergate/contracts/contacts/v1/imports'
import type { RowOutcome } from './row-outcome.ts'

/** The result of a row, as the caller gets it. */
export interface RowResult {
  readonly rowNumber: number
  readonly outcome: RowOutcome
  readonly contact: 'new' | 'existing' | null
  readonly reasons: readonly string[]
}

/** Groups rows with the same result. */
export function groupedOutcomes(results: readonly RowResult[]): MessageInitShape<typeof ImportOutcomeSchema>[] {
  const groups = Map.groupBy(
    results,
    ({ outcome, contact, reasons }) => `${outcome} ${contact ?? ''} ${reasons.join()}`,
  )
  return Array.from(groups.values(), (rows) => {
    const { outcome, contact, reasons } = rows[0]!
    return {
      outcome,
      contact: contact ?? 'none',
      reasons: [...reasons],
      rowNumbers: rows.map(({ rowNumber }) => rowNumber),
      rows: rows.length,
    }
  })
}
