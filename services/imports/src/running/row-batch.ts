import type { ImportRows } from '@lettergate/contracts/contacts/v1/imports'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ImportRowsSchema } from '@lettergate/contracts/contacts/v1/imports'
import type { MappedRow } from '../mapping/compile-mapping.ts'

export type RowsToSend = MessageInitShape<typeof ImportRowsSchema>

/** Separates the values of a column in a message. No cell has it: cells with control characters are empty. */
const valuesSeparator = '\u001f'

/** Rows on their way to contacts-consent, by column. */
export interface RowBatch {
  add(row: number, mapped: MappedRow, status: string): void
  /** Another row could make the message too large. */
  isFull(): boolean
  readonly rows: number
  /** The rows so far; the batch is empty afterwards. */
  take(): RowsToSend
}

/** The most rows of a call, as contacts-consent allows. An apply locks its rows, so it has fewer. */
export const batchRowsMax = { evaluate: 4_000, apply: 2_000 } as const
/** A message of gRPC has at most 16 MB, and a character up to three bytes. */
const batchCharsMax = 2_000_000

/** Collects at most `rowsMax` rows whose values belong to these targets. */
export function rowBatch(targets: readonly string[], rowsMax: number): RowBatch {
  let rowNumbers: ImportRows['rowNumbers'] = []
  let columns: string[][] = targets.map(() => [])
  let statuses: string[] = []
  let chars = 0
  return {
    add(row, { values }, status) {
      rowNumbers.push(row)
      statuses.push(status)
      for (let column = 0; column < columns.length; column += 1) {
        const value = values[column]!
        columns[column]!.push(value)
        chars += value.length
      }
    },
    isFull: () => rowNumbers.length >= rowsMax || chars >= batchCharsMax,
    get rows() {
      return rowNumbers.length
    },
    take() {
      const taken = {
        rowNumbers,
        columns: [
          ...targets.map((target, column) => ({ target, values: columns[column]!.join(valuesSeparator) })),
          { target: 'status', values: statuses.join(valuesSeparator) },
        ],
      }
      rowNumbers = []
      columns = targets.map(() => [])
      statuses = []
      chars = 0
      return taken
    },
  }
}
