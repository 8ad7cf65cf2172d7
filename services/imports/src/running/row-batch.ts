import type { ImportRows } from '@lettergate/contracts/contacts/v1/imports'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ImportRowsSchema } from '@lettergate/contracts/contacts/v1/imports'
import type { MappedRow } from '../mapping/compile-mapping.ts'

export type RowsToSend = MessageInitShape<typeof ImportRowsSchema>

/** Rows on their way to contacts-consent, by column. */
export interface RowBatch {
  add(row: number, mapped: MappedRow, status: string): void
  /** Another row could make the message too large. */
  isFull(): boolean
  readonly rows: number
  /** The rows so far; the batch is empty afterwards. */
  take(): RowsToSend
}

export const batchRowsMax = 1_000
/** A message of gRPC has at most 16 MB, and a character up to three bytes. */
const batchCharsMax = 2_000_000

/** Collects rows whose values belong to these targets. */
export function rowBatch(targets: readonly string[]): RowBatch {
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
    isFull: () => rowNumbers.length >= batchRowsMax || chars >= batchCharsMax,
    get rows() {
      return rowNumbers.length
    },
    take() {
      const taken = {
        rowNumbers,
        columns: [
          ...targets.map((target, column) => ({ target, values: columns[column]! })),
          { target: 'status', values: statuses },
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
