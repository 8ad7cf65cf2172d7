import { expect, test } from '@jest/globals'
import { cleanFilename } from './filename.ts'

test.each([
  ['people.csv', 'people.csv'],
  [' Kontakte Ärzte.csv ', 'Kontakte Ärzte.csv'],
  ['C:\\Users\\ada\\people.csv', 'people.csv'],
  ['../../etc/passwd', 'passwd'],
  ['people\u0000\r\n.csv', 'people.csv'],
  ['people\u202egpj.csv', 'peoplegpj.csv'],
  ['\ud800people.csv', 'people.csv'],
  [`${'\u{1F48C}'.repeat(300)}.csv`, '\u{1F48C}'.repeat(255)],
])('%j is shown as %j', (given, shown) => expect(cleanFilename(given)).toBe(shown))

test.each(['', '   ', '\u0000', 'folder/', '.', 'a/..'])('%j is no name', (given) =>
  expect(() => cleanFilename(given)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', reason: 'file' }) as unknown as Error,
  ),
)
