import { expect, test } from '@jest/globals'
import { initialOf } from '../../dialogs/fields.ts'
import { changedProfileOf, profileFieldsOf, type FieldDefinition } from './profile-fields.ts'

const define = (field_key: string, field_type: FieldDefinition['field_type'], options: string[] = []) =>
  ({ id: field_key, field_key, label: field_key, field_type, options, version: 1 }) satisfies FieldDefinition
const definitions = [
  define('size', 'integer'),
  define('ratio', 'decimal'),
  define('keen', 'boolean'),
  define('seen', 'datetime'),
  define('colors', 'multiple_choice', ['red', 'blue']),
  define('site', 'url'),
]
const contact = {
  first_name: 'Ada',
  last_name: null,
  company: null,
  country_code: null,
  locale: null,
  timezone: null,
  phone: null,
  custom_fields: { size: 41, keen: false, colors: ['red'], seen: '2026-05-03T10:15:30Z' },
}
const fields = profileFieldsOf(contact, definitions)
const untouched = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, initialOf(field)]))

test('nothing is sent for a profile that nobody changed', () => {
  expect(changedProfileOf(fields, untouched, definitions)).toEqual({})
})

test('each custom field is sent with the type of its definition', () => {
  const typed = {
    'custom.size': '42',
    'custom.ratio': '1.5',
    'custom.keen': 'yes',
    'custom.colors': ['red', 'blue'],
    'custom.site': 'https://ada.example',
  }
  expect(changedProfileOf(fields, { ...untouched, ...typed, phone: '+44 20 7946 0000' }, definitions)).toEqual({
    phone: '+44 20 7946 0000',
    custom_fields: { size: 42, ratio: 1.5, keen: true, colors: ['red', 'blue'], site: 'https://ada.example' },
  })
})

test('an emptied input clears its value', () => {
  const typed = { first_name: '', 'custom.size': '', 'custom.colors': [] }
  expect(changedProfileOf(fields, { ...untouched, ...typed }, definitions)).toEqual({
    first_name: null,
    custom_fields: { size: null, colors: null },
  })
})
