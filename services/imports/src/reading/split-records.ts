import papa from 'papaparse'
import { rowCharsMax, type RowProblem } from './file-format.ts'

/** What separates cells and rows. `\n` also reads rows that end in CRLF. */
export interface Dialect {
  readonly delimiter: string
  readonly newline: '\n' | '\r'
}

/** The first line of a record with wrong quotes, without its line break. */
export interface BrokenRecord {
  readonly problem: RowProblem
  readonly line: string
}

export type CsvRecord = string[] | BrokenRecord

const quote = '"'
/** How much text is parsed again after a bad record. It doubles with each success. */
const firstWindow = 64

/** The line break that ends the first row. */
export function newlineOf(text: string): '\n' | '\r' {
  let isQuoted = false
  for (let n = 0; n < text.length; n += 1) {
    const character = text[n]
    if (character === quote) isQuoted = !isQuoted
    else if (!isQuoted && character === '\n') return '\n'
    else if (!isQuoted && character === '\r') return text[n + 1] === '\n' ? '\n' : '\r'
  }
  return text.includes('\n') || !text.includes('\r') ? '\n' : '\r'
}

/**
 * Splits text into records with papaparse, and answers the text of the last incomplete record. After a record with wrong quotes
 * it goes on with the next line, so that an open quote does not hide the rows after it. The work is linear in the length of the
 * text for any content: after a bad record only a small part is parsed at once.
 */
export function splitRecords(text: string, dialect: Dialect, isLast: boolean): { records: CsvRecord[]; rest: string } {
  const { delimiter, newline } = dialect
  const config = { delimiter, newline, quoteChar: quote }
  const whole = isLast && text !== '' && !text.endsWith(newline) ? text + newline : text
  const limit = whole.lastIndexOf(newline) + 1
  const records: CsvRecord[] = []
  let start = 0
  let window = limit
  while (start < limit) {
    const end = window >= limit - start ? limit : lineAfter(whole, start + window, newline)
    const part = start === 0 && end === whole.length ? whole : whole.slice(start, end)
    const { data, errors } = parse(part, config)
    const [error] = errors
    if (error === undefined) {
      // The part ends with a line break, and papaparse answers an empty record after it.
      data.pop()
      append(records, data, newline)
      start = end
      window *= 2
      continue
    }
    const bad = error.row ?? 0
    const at = start + (bad === 0 ? 0 : parse(part, { ...config, preview: bad }).meta.cursor)
    append(records, data.slice(0, bad), newline)
    start = at
    if (error.code === 'MissingQuotes') {
      if (end < limit) {
        window = (end - at) * 2
        continue
      }
      if (!isLast && whole.length - at <= rowCharsMax) break
    }
    start = lineAfter(whole, at, newline)
    const problem = error.code === 'MissingQuotes' ? 'unclosed_quote' : 'malformed_quotes'
    records.push({ problem, line: whole.slice(at, start).replace(/\r?[\n\r]$/, '') })
    window = firstWindow
  }
  return { records, rest: start === 0 ? whole : whole.slice(start) }
}

/**
 * papaparse's parser without its streams around it. `papa.parse` keeps its results alive until the old memory is collected: it takes
 * twice as long, and 100 MB more.
 */
const parse = (text: string, config: papa.ParseConfig): papa.ParseResult<string[]> =>
  new papa.Parser(config).parse(text, 0, false)

/** The start of the next line. */
function lineAfter(text: string, from: number, newline: string): number {
  const found = text.indexOf(newline, from)
  return found === -1 ? text.length : found + 1
}

function append(records: CsvRecord[], found: string[][], newline: string): void {
  for (const cells of found) {
    if (newline === '\n') {
      const last = cells[cells.length - 1]!
      if (last.charCodeAt(last.length - 1) === 13) cells[cells.length - 1] = last.slice(0, -1)
    }
    records.push(cells)
  }
}
