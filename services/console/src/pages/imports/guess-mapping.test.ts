import { expect, test } from '@jest/globals'
import { columnsOf, guessMapping, namedMapping, statusLinesOf, statusValuesOf, targetChoices } from './guess-mapping.ts'

test('columns get the target that their names suggest, each target once', () => {
  const columns = columnsOf(['E-Mail', 'First name', 'email address', 'Shoe Size', 'Colour'])
  expect(guessMapping(columns, ['shoe_size'])).toEqual({
    'E-Mail': 'email',
    'First name': 'first_name',
    'email address': 'ignore',
    'Shoe Size': 'custom.shoe_size',
    Colour: 'ignore',
  })
})

test('a column with an empty or a repeated header is named by its position', () => {
  const columns = columnsOf(['Email', 'Company', '', 'Company'])
  expect(columns.map(({ key, label }) => `${key}: ${label}`)).toEqual([
    'Email: Email',
    '#2: Company (column 2)',
    '#3: Column 3',
    '#4: Company (column 4)',
  ])
  expect(guessMapping(columns)).toEqual({ Email: 'email', '#2': 'company', '#3': 'ignore', '#4': 'ignore' })
})

test('a profile names columns in any case, and a mapping by header or position', () => {
  const columns = columnsOf(['EMAIL', 'Name', 'Plan', 'Name'])
  expect(namedMapping(columns, { email: 'email', '#3': 'company', '#4': 'last_name', Other: 'phone' })).toEqual({
    EMAIL: 'email',
    '#2': 'ignore',
    Plan: 'company',
    '#4': 'last_name',
  })
})

test('meanings of cells are lines, and a line without a meaning is not left out', () => {
  expect(statusValuesOf(' \n')).toBeUndefined()
  const values = { active: 'subscribed', 'a = b': 'unsubscribed', what: '' }
  expect(statusValuesOf('active = Subscribed\n\na = b=unsubscribed\nwhat')).toEqual(values)
  expect(statusValuesOf(statusLinesOf(values))).toEqual(values)
  expect(statusLinesOf(undefined)).toBe('')
})

test('custom fields are targets by their labels, and stand apart from what every contact has', () => {
  const choices = targetChoices([
    { field_key: 'shoe_size', label: 'Schuhgröße (EU)' },
    { field_key: 'phone', label: 'Phone' },
  ])
  expect(choices.filter(({ value }) => /phone|custom|ignore/.test(value))).toEqual([
    { value: 'phone', label: 'Phone' },
    { value: 'ignore', label: 'Leave it out' },
    { value: 'custom.shoe_size', label: 'Schuhgröße (EU)' },
    { value: 'custom.phone', label: 'Phone (custom field phone)' },
  ])
})
