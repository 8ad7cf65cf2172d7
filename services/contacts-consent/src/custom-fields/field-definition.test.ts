import { expect, test } from '@jest/globals'
import { optionsMax, parseFieldDefinition } from './field-definition.ts'

const input = { fieldKey: 'shoe_size', label: 'Shoe size', fieldType: 'integer', options: [] as string[] }

test('a label and options are trimmed; only choices have options', () => {
  expect(parseFieldDefinition({ ...input, label: ' Shoe size ' })).toEqual(input)
  const choice = { ...input, fieldType: 'single_choice', options: [' a ', 'b'] }
  expect(parseFieldDefinition(choice).options).toEqual(['a', 'b'])
})

test.each<[string, Partial<typeof input>]>([
  ['field_key', { fieldKey: 'Shoe' }],
  ['field_key', { fieldKey: '1st' }],
  ['field_key', { fieldKey: '' }],
  ['field_key', { fieldKey: `a${'b'.repeat(100)}` }],
  ['label', { label: ' ' }],
  ['label', { label: 'x'.repeat(161) }],
  ['label', { label: 'a\u0000' }],
  ['field_type', { fieldType: 'number' }],
  ['field_type', { fieldType: '' }],
  ['options', { options: ['a'] }],
  ['options', { fieldType: 'url', options: ['https://example.com'] }],
  ['options', { fieldType: 'single_choice' }],
  ['options', { fieldType: 'multiple_choice', options: [] }],
  ['options', { fieldType: 'single_choice', options: ['a', 'a '] }],
  ['options', { fieldType: 'single_choice', options: [' '] }],
  ['options', { fieldType: 'single_choice', options: ['x'.repeat(501)] }],
  ['options', { fieldType: 'multiple_choice', options: Array.from({ length: optionsMax + 1 }, (_, n) => `o${n}`) }],
])('an invalid %s is refused with the name of the field', (reason, part) => {
  expect(() => parseFieldDefinition({ ...input, ...part })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', reason }),
  )
})
