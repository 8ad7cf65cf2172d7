import { expect, test } from '@jest/globals'
import { optionsMax, parseFieldDefinition } from './field-definition.ts'

const wish = { fieldKey: 'shoe_size', label: 'Shoe size', fieldType: 'integer', options: [] as string[] }

test('a label and options are trimmed; other types than choices have no options', () => {
  expect(parseFieldDefinition({ ...wish, label: ' Shoe size ' })).toEqual(wish)
  const choice = { ...wish, fieldType: 'single_choice', options: [' a ', 'b'] }
  expect(parseFieldDefinition(choice).options).toEqual(['a', 'b'])
})

test.each<[string, Partial<typeof wish>]>([
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
])('a bad %s is refused and named', (reason, part) => {
  expect(() => parseFieldDefinition({ ...wish, ...part })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', reason }),
  )
})
