import { Fault } from '@lettergate/fault'

/** How the bytes of a file become a table. */
export interface FileFormat {
  /** the name of a WHATWG encoding */
  readonly encoding: string
  readonly delimiter: string
  /** the cells of the first row, trimmed; empty and repeated headers stay as they are */
  readonly headers: readonly string[]
}

/** Why a row cannot be read. */
export const rowProblems = [
  'blank_row',
  'too_few_cells',
  'too_many_cells',
  'malformed_quotes',
  'unclosed_quote',
  'cell_too_long',
  'row_too_long',
  'control_characters',
] as const
export type RowProblem = (typeof rowProblems)[number]

/** The longest cell that Excel has. */
export const cellCharsMax = 32_767
/** The longest row. A quoted cell without an end is given up after it. */
export const rowCharsMax = 262_144
export const columnsMax = 1_000
export const headerCharsMax = 500

/** The Fault for a file that is not a readable table. */
export const unreadable = (
  reason: 'file_type' | 'file_encoding' | 'file_header',
  message: string,
  options?: { cause?: unknown },
): Fault => new Fault('invalid_argument', reason, message, options)
