import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault } from '@lettergate/fault'
import { headBytes, inspectHead } from './inspect-head.ts'

const utf8 = (text: string) => Buffer.from(text)
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const reasonFor = (head: Buffer, encoding?: string) => {
  try {
    inspectHead(head, encoding)
  } catch (error) {
    if (error instanceof Fault) return `${error.code} ${error.reason}: ${error.message}`
    throw error
  }
  return 'accepted'
}

test.each([
  ['comma', 'Email,Name\na@example.com,"Ada; L"\n', ','],
  ['semicolon', 'Email;Name\r\na@example.com;"Ada, L"\r\n', ';'],
  ['tab', 'Email\tName\ra@example.com\tAda, L\r', '\t'],
  ['comma, with tags between semicolons', 'Email,Tags\na@example.com,a;b;c\nb@example.com,a;b;c\n', ','],
  ['the one that Excel names', 'sep=;\r\nEmail;a,b,c\r\n', ';'],
  ['comma, of a file with one column', 'Email\na@example.com\n', ','],
  ['semicolon, of a header alone', 'Email;Name', ';'],
])('finds the delimiter: %s', (_name, text, delimiter) => {
  expect(inspectHead(utf8(text)).delimiter).toBe(delimiter)
})

test('a column name that is not an address is taken, whatever it has', () => {
  const headers = ['E-Mail @ work', '@handle.name', 'name@', 'a@b', 'x@.y']
  expect(inspectHead(utf8(`${headers.join(',')}\n`)).headers).toEqual(headers)
})

test('headers are trimmed; empty and repeated ones stay in their places', () => {
  expect(inspectHead(utf8('\r\n\r\n Email , Name,,"First name",Name\r\n')).headers).toEqual([
    'Email',
    'Name',
    '',
    'First name',
    'Name',
  ])
})

test.each([
  ['UTF-8', utf8('Émail,Name\n'), undefined, 'utf-8'],
  ['UTF-8 with a mark', utf8('\ufeffÉmail,Name\n'), 'windows-1252', 'utf-8'],
  ['UTF-16LE with a mark', Buffer.from('\ufeffÉmail,Name\n', 'utf16le'), undefined, 'utf-16le'],
  ['UTF-16BE with a mark', utf16be('\ufeffÉmail,Name\n'), 'UTF-16', 'utf-16be'],
  ['UTF-16BE as declared', utf16be('Émail,Name\n'), 'utf-16BE', 'utf-16be'],
  ['windows-1252', Buffer.from('Émail,Name\n', 'latin1'), 'Windows-1252', 'windows-1252'],
  ['a label of it', Buffer.from('Émail,Name\n', 'latin1'), ' LATIN1 ', 'windows-1252'],
])('reads %s', (_name, head, declared, encoding) => {
  expect(inspectHead(head, declared)).toEqual({ encoding, delimiter: ',', headers: ['Émail', 'Name'] })
})

test.each([
  ['an unknown encoding', utf8('Email\n'), 'ebcdic', /encoding: encoding must be a WHATWG label/],
  ['an encoding that cannot be read', utf8('Email\n'), 'replacement', /encoding: encoding must be a WHATWG label/],
  [
    'windows-1252 that is not declared',
    Buffer.from('Émail,Name\n', 'latin1'),
    undefined,
    /file_encoding: .*windows-1252/,
  ],
  ['UTF-16 without a mark', Buffer.from('Email,Name\n', 'utf16le'), undefined, /file_type: .*NUL.*UTF-16/],
  ['UTF-16 in the other order', utf16be('Email,Name\n'), 'utf-16le', /file_encoding: .*other order/],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x45, 0, 0, 0]), undefined, /file_encoding: .*UTF-32/],
  ['a zip archive', Buffer.from('504b030414000600', 'hex'), undefined, /file_type: .*zip archive or an Excel file/],
  ['a gzip archive', Buffer.from('1f8b0800', 'hex'), 'windows-1252', /file_type: .*archive/],
  ['an old Excel file', Buffer.from('d0cf11e0a1b11ae1', 'hex'), undefined, /file_type: .*spreadsheet/],
  ['a tar archive', Buffer.concat([Buffer.alloc(257, 'a'), utf8('ustar\u000000')]), undefined, /file_type: .*archive/],
  ['a PDF', utf8('%PDF-1.7\n'), undefined, /file_type: .*PDF/],
  ['a web page', utf8('\ufeff<!DOCTYPE html>\n<html>'), undefined, /file_type: .*web page/],
  ['NUL bytes', utf8('Email,Name\na@example.com,\u0000\n'), undefined, /file_type: .*NUL/],
  ['an empty file', utf8(''), undefined, /file_header: file is empty/],
  ['a file of blanks', utf8('\ufeff\r\n \r\n,,\r\n'), undefined, /file_header: file is empty/],
  ['control characters in a header', utf8('Em\u0001ail\n'), undefined, /file_header: .*control characters/],
  ['a line break in a header', utf8('"Em\nail"\n'), undefined, /file_header: .*line breaks/],
  ['a long header', utf8(`${'a'.repeat(501)}\n`), undefined, /file_header: .*500 characters/],
  ['too many columns', utf8(`${'a,'.repeat(1_001)}\n`), undefined, /file_header: .*1000 columns/],
  ['a row without end', utf8('a'.repeat(headBytes)), undefined, /file_header: .*no complete row/],
  ['wrong quotes in the header', utf8('"Em"ail,Name\n'), undefined, /file_header: .*quotes/],
  ['an open quote in the header', utf8('"Email,Name\na,b\n'), undefined, /file_header: .*quotes/],
  ['a person in the first row', utf8('ada@example.com,Ada\n'), undefined, /file_header: .*email address/],
  [
    'a name and an address in the first row',
    utf8('Ada <ada@example.com>,x\n'),
    undefined,
    /file_header: .*email address/,
  ],
  ...['ada@example.com|Ada', 'Ada|ada@example.com|x', 'mailto=ada@bücher.example/x', '{ada@example.com}\n'].map(
    (head): [string, Buffer, undefined, RegExp] => [
      `a person between other delimiters: ${head.trim()}`,
      utf8(head),
      undefined,
      /file_header: .*email address/,
    ],
  ),
])('refuses %s and says why', (_name, head, declared, message) => {
  expect(reasonFor(head, declared)).toMatch(/^invalid_argument /)
  expect(reasonFor(head, declared)).toMatch(message)
})

test('any bytes at all are accepted or refused with a reason', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: 'binary', maxLength: 100 }).map((text) => new Uint8Array(Buffer.from(text))),
    fc
      .string({ unit: 'binary', maxLength: 100 })
      .map((text) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))),
  )
  const labels = fc.constantFrom(undefined, 'utf-8', 'utf-16be', 'windows-1252', 'shift_jis', 'gb18030', 'iso-2022-jp')
  fc.assert(
    fc.property(bytes, labels, (head, declared) => {
      expect(reasonFor(Buffer.from(head), declared)).toMatch(
        /^accepted$|^invalid_argument file_(type|encoding|header): file /,
      )
    }),
    { numRuns: 3_000 },
  )
})

test('a character that the end of the head cuts is no error', () => {
  const head = Buffer.concat([utf8('Email\n'), Buffer.alloc(headBytes, 'ä')]).subarray(0, headBytes)
  expect(inspectHead(head).headers).toEqual(['Email'])
  expect(inspectHead(head.subarray(0, headBytes - 1)).headers).toEqual(['Email'])
})
