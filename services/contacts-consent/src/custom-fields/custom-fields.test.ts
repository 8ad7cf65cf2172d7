import type { JsonValue } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { fieldTypes, parseCustomFields, type DefinedField, type FieldType } from './custom-fields.ts'

const options = ['a', 'b']
const defined = (fieldType: FieldType) => [{ fieldKey: 'key', fieldType, options }]

const values: Record<FieldType, { fits: JsonValue[]; fails: JsonValue[] }> = {
  text: { fits: ['', 'x'.repeat(500), '😀'.repeat(500)], fails: [1, true, [], {}, 'x'.repeat(501), '😀'.repeat(501)] },
  long_text: { fits: ['x'.repeat(10_000), '😀'.repeat(10_000)], fails: ['x'.repeat(10_001), 1] },
  integer: { fits: [0, -5, 9_007_199_254_740_991], fails: [1.5, '1', 1e308] },
  decimal: { fits: [1.5, -0.1, 3], fails: ['1.5', true] },
  boolean: { fits: [true, false], fails: ['true', 0] },
  date: { fits: ['2024-02-29'], fails: ['2023-02-29', '2024-2-1', 'soon', 20240101] },
  datetime: {
    fits: ['2026-03-31T09:00:00Z', '2026-03-31T09:00:00.123+02:00'],
    fails: [
      '2026-03-31T09:00:00',
      '2026-03-31 09:00:00Z',
      '2035-02-30T10:00:00Z',
      '2026-03-31T24:00:00Z',
      '2026-03-31T09:00:00+99:99',
    ],
  },
  single_choice: { fits: ['a'], fails: ['c', ['a'], ''] },
  multiple_choice: { fits: [[], ['b', 'a']], fails: ['a', ['c'], ['a', 'a'], [1]] },
  url: {
    fits: ['https://x.test/y', 'http://x.test', 'HTTPS://x.test'],
    fails: ['javascript:alert(1)', 'ftp://x.test', 'x.test', 'https:x.test', ' https://x.test', 'https:\\\\x.test', 7],
  },
}

test.each(fieldTypes)('%s takes its values and refuses others, naming the key', (type) => {
  for (const value of values[type].fits) {
    expect(parseCustomFields({ key: value }, defined(type))).toEqual({ set: { key: value }, cleared: [] })
  }
  for (const value of values[type].fails) {
    expect(() => parseCustomFields({ key: value }, defined(type))).toThrow(
      expect.objectContaining({ reason: 'custom_fields', message: expect.stringContaining('key must be') }),
    )
  }
})

test('null clears a defined key; an undefined key is refused with its name, also with null', () => {
  expect(parseCustomFields({ key: null }, defined('text'))).toEqual({ set: {}, cleared: ['key'] })
  for (const value of [null, 'x']) {
    for (const name of ['other', '__proto__', 'constructor']) {
      const given = Object.fromEntries([[name, value]])
      expect(() => parseCustomFields(given, defined('text'))).toThrow(
        expect.objectContaining({ message: expect.stringContaining(name) }),
      )
    }
  }
})

test('all invalid keys are named in one answer', () => {
  const definitions: DefinedField[] = [
    { fieldKey: 'size', fieldType: 'integer', options: [] },
    { fieldKey: 'site', fieldType: 'url', options: [] },
    { fieldKey: 'note', fieldType: 'text', options: [] },
  ]
  expect(() => parseCustomFields({ size: 'big', note: 'well', site: 'nowhere', hue: 'red' }, definitions)).toThrow(
    'custom_fields: size must be a whole number.\ncustom_fields: site must be an http or https URL.\ncustom_fields: "hue" is not defined. Define the field first.',
  )
})
