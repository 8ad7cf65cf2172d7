import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ImportOutcomeSchema } from '@lettergate/contracts/contacts/v1/imports'
import type { DecidedRow } from './row-outcome.ts'

/** What the caller gets of a decision. */
export type Decision = Pick<DecidedRow, 'outcome' | 'contact' | 'reasons'>

/** The result of a row, as the caller gets it. */
export type RowResult = Decision & { readonly rowNumber: number }

/** Rows of a batch, grouped by their result. */
export interface OutcomeGroups {
  /** Adds a row. It costs least if equal decisions are the same object. */
  add(decision: Decision, rowNumber: number): void
  /** One outcome for each different result. */
  outcomes(): MessageInitShape<typeof ImportOutcomeSchema>[]
}

export function outcomeGroups(): OutcomeGroups {
  const byDecision = new Map<Decision, number[]>()
  return {
    add(decision, rowNumber) {
      const rowNumbers = byDecision.get(decision)
      if (rowNumbers) rowNumbers.push(rowNumber)
      else byDecision.set(decision, [rowNumber])
    },
    outcomes() {
      const groups = Map.groupBy(
        byDecision,
        ([{ outcome, contact, reasons }]) => `${outcome} ${contact ?? ''} ${reasons.join()}`,
      )
      return Array.from(groups.values(), (group) => {
        const { outcome, contact, reasons } = group[0]![0]
        const rowNumbers = group.flatMap(([, numbers]) => numbers)
        return { outcome, contact: contact ?? 'none', reasons: [...reasons], rowNumbers, rows: rowNumbers.length }
      })
    },
  }
}

/** Groups rows with the same result. */
export function groupedOutcomes(results: readonly RowResult[]): MessageInitShape<typeof ImportOutcomeSchema>[] {
  const groups = outcomeGroups()
  for (const result of results) groups.add(result, result.rowNumber)
  return groups.outcomes()
}
