import { unreadable } from './file-format.ts'

const excel = 'a spreadsheet. Open it and save the sheet as CSV UTF-8'
const archive = 'an archive. Unpack it and upload the CSV file in it'

/** The first bytes of files that are often uploaded in place of a CSV file, and what to say about them. */
const signatures: readonly [bytes: string, name: string][] = [
  ['PK\u0003\u0004', 'a zip archive or an Excel file. Unpack the archive, or save the sheet as CSV UTF-8'],
  ['PK\u0005\u0006', 'an empty zip archive. Upload the CSV file itself'],
  ['\u001f\u008b', archive],
  ['BZh', archive],
  ['\u00fd7zXZ\u0000', archive],
  ['7z\u00bc\u00af\u0027\u001c', archive],
  ['Rar!\u001a\u0007', archive],
  ['\u0028\u00b5\u002f\u00fd', archive],
  ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1', excel],
  ['%PDF-', 'a PDF. Export the table as CSV'],
  ['{\\rtf', 'a text document. Export the table as CSV'],
  ['SQLite format 3\u0000', 'a database. Export the table as CSV'],
  ['PAR1', 'a Parquet file. Export the table as CSV'],
  ['\u0089PNG', 'a picture. Export the table as CSV'],
  ['\u00ff\u00d8\u00ff', 'a picture. Export the table as CSV'],
  ['GIF8', 'a picture. Export the table as CSV'],
]

/** The first bytes of text that is no table. */
const markup = /^\s*<(?:!doctype|html|\?xml)\b/i

/** Throws Fault `invalid_argument` if the first bytes are those of an archive, a spreadsheet, a document or a picture. */
export function refuseOtherTypes(head: Uint8Array): void {
  const first = Buffer.from(head.subarray(0, 64)).toString('latin1')
  const found = signatures.find(([bytes]) => first.startsWith(bytes))
  if (found) throw unreadable('file_type', `file is not CSV: it is ${found[1]}.`)
  // A tar archive has its mark behind the name of its first file.
  if (Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar') {
    throw unreadable('file_type', `file is not CSV: it is ${archive}.`)
  }
  if (markup.test(first.replace(/^\u00ef\u00bb\u00bf/, ''))) {
    throw unreadable('file_type', 'file is not CSV: it is a web page or XML. Export the table as CSV.')
  }
}
