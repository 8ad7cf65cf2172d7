import { decoded } from './decode.ts'
import { cellCharsMax, rowCharsMax, type FileFormat, type RowProblem } from './file-format.ts'
import { delimiterLine } from './inspect-head.ts'
import { looseCells } from './loose-cells.ts'
import { newlineOf, splitRecords, type BrokenRecord, type CsvRecord, type Dialect } from './split-records.ts'

/** Rows of a file in order, good and bad. */
export interface RecordBatch {
  /** the number of the first row; the header has none, and the row after it is 1 */
  readonly firstRow: number
  /** the cells of each row, one for each header or more, or what is wrong with the row */
  readonly records: readonly FileRecord[]
}

/**
 * A row of which some cells cannot be used. They are empty here; the other cells are in their columns. Cells of a row with too few
 * or too many cells, with wrong quotes, or of the beginning of a row that is too long may be in wrong columns.
 */
export interface DamagedRow {
  readonly problem: RowProblem
  readonly cells: readonly string[]
  /** of a row with wrong quotes: the cells if quotes mean nothing */
  readonly plainCells?: readonly string[]
  readonly damagedColumns: readonly number[]
}

/** The cells of a good row, a damaged one, or a row that says nothing. */
export type FileRecord = readonly string[] | DamagedRow | 'blank_row'

export const batchRows = 1_000
/** A flat text of less than 128 KiB, also with two bytes for each character, is freed with the young objects. */
const pieceChars = 32_768

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000e-\u001f\u007f]/

/**
 * The rows of a file in batches of at most 1,000, in constant memory. Empty lines are no rows. A bad row has its reason in place
 * of its cells, and the rows after it are read. Throws Fault `invalid_argument` only for bytes that are no text.
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  format: FileFormat,
): AsyncGenerator<RecordBatch> {
  let nextRow = 1
  for await (const records of rowsOf(decoded(bytes, format.encoding), format)) {
    for (let used = 0; used < records.length; used += batchRows) {
      yield { firstRow: nextRow + used, records: records.slice(used, used + batchRows) }
    }
    nextRow += records.length
  }
}

/** The checked rows after the header, as many as each piece of text completes. */
async function* rowsOf(texts: AsyncIterable<string>, format: FileFormat): AsyncGenerator<FileRecord[]> {
  let dialect: Dialect | undefined
  let rest = ''
  /** A record that was incomplete is parsed again only with this much more text. */
  let enough = pieceChars
  let isHeader = true
  let isSkipping = false

  const split = (isLast: boolean): FileRecord[] => {
    if (!dialect) {
      rest = rest.replace(delimiterLine, '')
      dialect = { delimiter: format.delimiter, newline: newlineOf(rest) }
    }
    if (isSkipping) {
      const end = rest.indexOf(dialect.newline)
      rest = end === -1 ? '' : rest.slice(end + 1)
      isSkipping = end === -1
    }
    const hasControls = controls.test(rest)
    const { records, rest: incomplete } = splitRecords(rest, dialect, isLast)
    rest = incomplete
    if (rest.length > rowCharsMax && !rest.includes(dialect.newline)) {
      // Without the last cell, which may be cut.
      const end = rest.lastIndexOf(dialect.delimiter, rowCharsMax)
      records.push({ problem: 'row_too_long', line: rest.slice(0, Math.max(0, end)) })
      rest = ''
      isSkipping = true
    }
    enough = rest.length + pieceChars
    return checked(records, hasControls)
  }
  const checked = (records: CsvRecord[], hasControls: boolean): FileRecord[] => {
    const rows: FileRecord[] = []
    for (const record of records) {
      if (Array.isArray(record) && record.length === 1 && record[0] === '') continue
      if (isHeader) {
        isHeader = Array.isArray(record) && record.every((cell) => cell.trim() === '')
        continue
      }
      rows.push(Array.isArray(record) ? checkedRow(record, format, hasControls) : brokenRow(record, format))
    }
    return rows
  }

  for await (const text of texts) {
    rest += text
    if (rest.length >= enough) yield split(false)
  }
  yield split(true)
}

function brokenRow({ problem, line }: BrokenRecord, { delimiter }: FileFormat): DamagedRow {
  const { quoted, plain } = looseCells(line, delimiter)
  return { problem, cells: quoted, plainCells: plain, damagedColumns: [] }
}

function checkedRow(cells: string[], format: FileFormat, hasControls: boolean): FileRecord {
  const problem = shapeProblem(cells, format)
  if (problem === 'blank_row') return problem
  const isTooLong = (cell: string) => cell.length > cellCharsMax
  const hasControl = (cell: string) => hasControls && controls.test(cell)
  const damage =
    problem ?? (cells.some(isTooLong) ? 'cell_too_long' : cells.some(hasControl) ? 'control_characters' : undefined)
  if (damage === undefined) return cells
  const isDamaged = (cell: string) => isTooLong(cell) || hasControl(cell)
  return {
    problem: damage,
    cells: cells.map((cell) => (isDamaged(cell) ? '' : cell)),
    damagedColumns: cells.flatMap((cell, column) => (isDamaged(cell) ? column : [])),
  }
}

function shapeProblem(cells: readonly string[], { headers }: FileFormat): RowProblem | undefined {
  const columns = headers.length
  if (cells.length !== columns) {
    if (cells.every((cell) => cell.trim() === '')) return 'blank_row'
    if (cells.length < columns) return 'too_few_cells'
    // Some programs end each row with a delimiter.
    if (cells.some((cell, n) => n >= columns && cell.trim() !== '')) return 'too_many_cells'
  } else if (cells[0]!.trim() === '' && cells.every((cell) => cell.trim() === '')) return 'blank_row'
  return undefined
}
