import { expect, test } from '@jest/globals'
import { customFieldOfText } from './custom-field-text.ts'
import type { FieldType } from './custom-fields.ts'

const read = (fieldType: FieldType, text: string) =>
  customFieldOfText({ fieldKey: 'k', fieldType, options: ['a', 'b'] }, text)

test.each<[FieldType, string, unknown]>([
  ['text', 'any text', 'any text'],
  ['text', 'x'.repeat(501), undefined],
  ['text', 'a\u0000', undefined],
  ['long_text', 'x'.repeat(501), 'x'.repeat(501)],
  ['integer', '38', 38],
  ['integer', '-7', -7],
  ['integer', '3.5', undefined],
  ['integer', '99999999999999999999', undefined],
  ['integer', '0x10', undefined],
  ['decimal', '3.5', 3.5],
  ['decimal', '1e3', 1_000],
  ['decimal', '3,5', undefined],
  ['decimal', '1e999', undefined],
  ['boolean', 'Yes', true],
  ['boolean', '0', false],
  ['boolean', 'maybe', undefined],
  ['date', '2026-02-28', '2026-02-28'],
  ['date', '2026-02-30', undefined],
  ['datetime', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z'],
  ['datetime', '2026-02-28 10:00', undefined],
  ['single_choice', 'a', 'a'],
  ['single_choice', 'c', undefined],
  ['multiple_choice', 'a; b', ['a', 'b']],
  ['multiple_choice', 'a;a', undefined],
  ['url', 'https://example.com', 'https://example.com'],
  ['url', 'javascript:alert(1)', undefined],
])('a cell for a field of type %s: %j is %j', (fieldType, text, value) => {
  expect(read(fieldType, text)).toEqual(value)
})
