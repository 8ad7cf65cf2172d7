import papa from 'papaparse'
import { isEmailAddress } from '@lettergate/values/email-address'
import { encodingOf, openDecoder } from './decode.ts'
import { refuseOtherTypes } from './file-type.ts'
import { columnsMax, headerCharsMax, unreadable, type FileFormat } from './file-format.ts'
import { newlineOf, splitRecords } from './split-records.ts'

/** How many bytes of a file `inspectHead` needs, or all of a shorter file. */
export const headBytes = 65_536

const delimiters = [',', ';', '\t']
/** The line with which Excel names the delimiter. */
export const delimiterLine = /^"?sep=([,;\t])"?\r?[\n\r]/i
/** The middle of an address, whatever stands around it: a file may separate its cells by something else. */
const addressLike = /[^\s@]@[\p{L}\p{M}\p{N}-]+\.[\p{L}\p{N}]/u
const hasAddress = (header: string) =>
  addressLike.test(header) || header.split(/[\s<>()[\],;:"']+/).some(isEmailAddress)
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]/

/**
 * The encoding, the delimiter and the headers of a file, from its first bytes. Throws Fault `invalid_argument` that says why for
 * anything that is not a table: an archive, binary bytes, another encoding, no row of headers.
 */
export function inspectHead(head: Uint8Array, declaredEncoding?: string): FileFormat {
  refuseOtherTypes(head)
  const encoding = encodingOf(head, declaredEncoding)
  const text = openDecoder(encoding).next(head.subarray(0, headBytes))
  if (text.includes('\u0a00') && !text.includes('\n')) {
    throw unreadable('file_encoding', `file is not ${encoding}: its bytes are in the other order.`)
  }
  const isWhole = head.length < headBytes
  const named = delimiterLine.exec(text)
  const table = named ? text.slice(named[0].length) : text
  const delimiter = named?.[1] ?? delimiterOf(table, isWhole)
  return { encoding, delimiter, headers: headersOf(table, delimiter, isWhole) }
}

function delimiterOf(text: string, isWhole: boolean): string {
  const newline = newlineOf(text)
  const lines = isWhole ? text : text.slice(0, text.lastIndexOf(newline) + 1)
  const { meta } = papa.parse(lines, { newline, preview: 10, skipEmptyLines: true, delimitersToGuess: delimiters })
  return delimiters.includes(meta.delimiter) ? meta.delimiter : ','
}

function headersOf(text: string, delimiter: string, isWhole: boolean): string[] {
  const { records } = splitRecords(text, { delimiter, newline: newlineOf(text) }, isWhole)
  const first = records.find((record) => !Array.isArray(record) || record.some((cell) => cell.trim() !== ''))
  if (first === undefined) {
    throw unreadable(
      'file_header',
      isWhole
        ? 'file is empty. Its first row must have the names of the columns.'
        : `file has no complete row in its first ${headBytes} bytes. Its first row must have the names of the columns.`,
    )
  }
  if (!Array.isArray(first)) {
    throw unreadable('file_header', 'file has wrong quotes in its first row. Write a quote in a quoted cell twice.')
  }
  const headers = first.map((header) => header.trim())
  if (headers.length > columnsMax) {
    throw unreadable('file_header', `file has more than ${columnsMax} columns. Remove some.`)
  }
  if (headers.some((header) => header.length > headerCharsMax || controls.test(header))) {
    throw unreadable(
      'file_header',
      `file has a column name with control characters, line breaks or more than ${headerCharsMax} characters. Rename the column.`,
    )
  }
  // Headers are kept and shown. Without them the first person of the file would stand there.
  if (headers.some(hasAddress)) {
    throw unreadable(
      'file_header',
      'file has an email address in its first row. Its first row must have the names of the columns.',
    )
  }
  return headers
}
