import { expect, test } from '@jest/globals'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { Fault } from '@lettergate/fault'
import { inspectHead, headBytes } from './inspect-head.ts'
import { batchRows, readRecords, type FileRecord } from './read-records.ts'
import { cellCharsMax, rowCharsMax, type FileFormat, type RowProblem } from './file-format.ts'

function* pieces(file: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, n = 0; at < file.length; n += 1) {
    const size = sizes[n % sizes.length]!
    yield file.subarray(at, at + size)
    at += size
  }
}

async function rowsOf(
  file: Uint8Array,
  format: FileFormat,
  sizes: readonly number[] = [65_536],
): Promise<FileRecord[]> {
  const rows: FileRecord[] = []
  for await (const { firstRow, records } of readRecords(pieces(file, sizes), format)) {
    expect(firstRow).toBe(rows.length + 1)
    expect(records.length).toBeLessThanOrEqual(batchRows)
    rows.push(...records)
  }
  return rows
}

/** Rows with wrong quotes and rows that are too long have only their problem. */
const shortened = (rows: readonly FileRecord[]) =>
  rows.map((row) => (typeof row === 'object' && 'plainCells' in row ? row.problem : row))

const read = (text: string, sizes?: readonly number[]) => {
  const file = Buffer.from(text)
  return rowsOf(file, inspectHead(file.subarray(0, headBytes)), sizes)
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
/** The characters that a test writes in each encoding. */
const latin = 'aZ09 "\',;\t\n\r\v@-éÿ§'
const wide = `${latin}ßЖ中😀\u2028`
const encodings: Record<string, { declared: string | undefined; characters: string; write: (text: string) => Buffer }> =
  {
    'utf-8': { declared: undefined, characters: wide, write: (text) => Buffer.from(text) },
    'utf-8 with a mark': { declared: undefined, characters: wide, write: (text) => Buffer.from(`\ufeff${text}`) },
    'utf-16le': { declared: undefined, characters: wide, write: (text) => Buffer.from(`\ufeff${text}`, 'utf16le') },
    'utf-16be': { declared: 'utf-16be', characters: wide, write: utf16be },
    'windows-1252': { declared: 'windows-1252', characters: latin, write: (text) => Buffer.from(text, 'latin1') },
  }
const headers = ['Email', 'Name', 'Tags', 'Note']
const table = { encoding: 'utf-8', delimiter: ',', headers: ['x', 'y'] }

const tables = fc.constantFrom(...Object.keys(encodings)).chain((encoding) =>
  fc.record({
    encoding: fc.constant(encoding),
    delimiter: fc.constantFrom(',', ';', '\t'),
    recordDelimiter: fc.constantFrom('\n', '\r\n', '\r'),
    quoted: fc.boolean(),
    endsWithBreak: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }),
    rows: fc.array(
      fc.tuple(
        // A row is not blank, and its last cell does not end in a part of a line break.
        fc.integer({ min: 1, max: 999 }).map((n) => `person${n}@example.com`),
        ...['Name', 'Tags'].map(() => textOf(encodings[encoding]!.characters)),
        textOf(encodings[encoding]!.characters).map((text) => text.replace(/\r+$/, '')),
      ),
      { maxLength: 30 },
    ),
  }),
)
const textOf = (characters: string) =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), maxLength: 12 }) as fc.Arbitrary<string>

test('every table that another program writes is read as it was, in any encoding, delimiter and pieces', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async ({ encoding, delimiter, recordDelimiter, quoted, endsWithBreak, sizes, rows }) => {
      const { declared, write } = encodings[encoding]!
      const text = stringify([headers, ...rows], {
        delimiter,
        record_delimiter: recordDelimiter,
        quoted,
        eof: endsWithBreak,
        quoted_match: /[\r\n\t,;"]/,
      })
      const file = write(text)
      const format = inspectHead(file.subarray(0, headBytes), declared)
      expect(format).toMatchObject({ delimiter, headers })
      expect(await rowsOf(file, format, sizes)).toEqual(rows)
    }),
    { numRuns: 500 },
  )
})

test('any text at all is read to its end, with the same rows from any pieces', async () => {
  const soup = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', 'a', ' ', '""', '"\n', 'é'), maxLength: 400 })
  const size = fc.integer({ min: 1, max: 20 })
  await fc.assert(
    fc.asyncProperty(soup, size, async (text, most) => {
      const file = Buffer.from(`a,b\n${text}`)
      expect(await rowsOf(file, table, [most])).toEqual(await rowsOf(file, table))
    }),
    { numRuns: 1_000 },
  )
})

test('a broken row costs only itself, wherever it stands', async () => {
  const cell = fc.tuple(fc.constantFrom('a', 'b', 'é'), textOf('ab ",;\n\r')).map((parts) => `${parts.join('')}.`)
  const good = fc.tuple(cell, cell)
  const broken = fc.constantFrom('"a"b,c', 'a,"b', '"a,b', 'a,"b"c"d', '"a "b" c",d')
  const size = fc.integer({ min: 1, max: 40 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(good, good, broken), { maxLength: 40 }), size, async (rows, most) => {
      const lines = rows.map((row) =>
        typeof row === 'string' ? `${row}\n` : stringify([row], { quoted_match: /[\r\n]/ }),
      )
      const found = await rowsOf(Buffer.from(`x,y\n${lines.join('')}`), table, [most])
      const expected = rows.map((row) => (typeof row === 'string' ? 'broken' : row))
      expect(shortened(found).map((row) => (typeof row === 'string' ? 'broken' : row))).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})

const broken = (problem: RowProblem, cells: string[], plainCells = cells) => ({
  problem,
  cells,
  plainCells,
  damagedColumns: [],
})

test.each<[string, string, FileRecord[]]>([
  ['only headers', 'Email,Name\r\n', []],
  ['only headers, without a line break', 'Email,Name', []],
  [
    'empty lines, which are no rows',
    '\nEmail,Name\n\na,b\n\r\n\nc,d\n\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['rows without any value', 'Email,Name\n,\n , \n\t\n', ['blank_row', 'blank_row', 'blank_row']],
  [
    'too few cells',
    'Email,Name\na\nb,c\n',
    [{ problem: 'too_few_cells', cells: ['a'], damagedColumns: [] }, ['b', 'c']],
  ],
  [
    'too many cells',
    'Email,Name\na,b,c\nb,c\n',
    [{ problem: 'too_many_cells', cells: ['a', 'b', 'c'], damagedColumns: [] }, ['b', 'c']],
  ],
  [
    'a delimiter at the end of each row',
    'Email,Name\na,b,\nb,c, \n',
    [
      ['a', 'b', ''],
      ['b', 'c', ' '],
    ],
  ],
  ['the line that names the delimiter', 'sep=;\r\nEmail;Name\r\na;b\r\n', [['a', 'b']]],
  [
    'line breaks and quotes in a cell',
    'Email,Name\na,"b\r\n""c"""\nd,e',
    [
      ['a', 'b\r\n"c"'],
      ['d', 'e'],
    ],
  ],
  ['a quote within a cell without quotes', 'Email,Name\na,5" disk\n', [['a', '5" disk']]],
  ['spaces after a quoted cell', 'Email,Name\n"a" ,"b" \n', [['a', 'b']]],
  ['text after a quoted cell', 'Email,Name\n"a"x,b\nc,"d"\n', [broken('malformed_quotes', ['a"x', 'b']), ['c', 'd']]],
  [
    'a quote that is not doubled',
    'Email,Name\r\n"a, "x" b",b\r\nc,d\r\n',
    [broken('malformed_quotes', ['a, "x" b', 'b'], ['a', 'x" b', 'b']), ['c', 'd']],
  ],
  [
    'an open quote in the middle',
    'Email,Name\na,"b\nc,d\n"e","f"\n',
    [broken('malformed_quotes', ['a', 'b']), ['c', 'd'], ['e', 'f']],
  ],
  [
    'an open quote before rows without quotes',
    'Email,Name\na,"b\nc,d\ne,f\n',
    [broken('unclosed_quote', ['a', 'b']), ['c', 'd'], ['e', 'f']],
  ],
  ['an open quote in the last row', 'Email,Name\na,b\nc,"d', [['a', 'b'], broken('unclosed_quote', ['c', 'd'])]],
  [
    'a control character, with the other cells of the row',
    'Email,Name\na,b\u0008\nc,d\u000b\n',
    [{ problem: 'control_characters', cells: ['a', ''], damagedColumns: [1] }, ['c', 'd\u000b']],
  ],
  [
    'LF rows after a CRLF header',
    'Email,Name\r\na,b\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
])('reads a file with %s', async (_name, text, expected) => {
  expect(await read(text)).toEqual(expected)
  expect(await read(text, [1])).toEqual(expected)
})

test('a cell and a row over their limits are counted, and the rows after them are read', async () => {
  const cell = 'x'.repeat(cellCharsMax)
  const row = `${'x,'.repeat(rowCharsMax)}x`
  const text = `Email,Name\na,${cell}\nb,${cell}y\n${row}\nc,d\n${row}`
  const expected = [
    ['a', cell],
    { problem: 'cell_too_long', cells: ['b', ''], damagedColumns: [1] },
    'row_too_long',
    ['c', 'd'],
    'row_too_long',
  ]
  for (const size of [70_000, 1_000]) {
    expect(shortened(await read(text, [size]))).toEqual(expected)
  }
})

test('the beginning of a row that is too long is kept, without the cell that may be cut', async () => {
  const [row] = await read(`Email,Name,Note\na,"b",${'x'.repeat(2 * rowCharsMax)}\n`)
  expect(row).toEqual(broken('row_too_long', ['a', 'b']))
})

test('a quote that stays open over the limit of a row hides no row after it', async () => {
  const lines = Array.from({ length: 60_000 }, (_, n) => `person${n}@example.com,x`)
  const rows = await read(['Email,Name', '"a,b', ...lines].join('\n'))
  expect(rows[0]).toEqual(broken('unclosed_quote', ['a', 'b']))
  expect(rows.slice(1)).toEqual(lines.map((line) => line.split(',')))
})

test('a file of nothing but broken rows is read in linear time', async () => {
  const rows = await read(`Email,Name\n${'"a"b,c\n'.repeat(100_000)}${'"a\n'.repeat(100_001)}`)
  expect(rows).toHaveLength(200_001)
  expect(new Set(shortened(rows))).toEqual(new Set(['malformed_quotes', 'unclosed_quote']))
})

test('bytes that are no text stop the file with a reason', async () => {
  const reading = (tail: Buffer, encoding = 'utf-8') =>
    rowsOf(Buffer.concat([Buffer.from('Email\na\n'), tail]), { encoding, delimiter: ',', headers: ['Email'] })
  await expect(reading(Buffer.from([0xe9]))).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'file_encoding',
  })
  await expect(reading(Buffer.from([0xc3, 0x28]))).rejects.toBeInstanceOf(Fault)
  await expect(reading(Buffer.from([0]))).rejects.toMatchObject({ reason: 'file_type' })
  await expect(reading(Buffer.from([0xe9, 0x80]), 'windows-1252')).resolves.toEqual([['a'], ['é€']])
})
