import { expect, test } from '@jest/globals'
import { fieldLabelsOf } from './field-labels.ts'

const field = (field_key: string, label: string) => ({ field_key, label })

test('custom fields have their labels; those that are taken, or that two fields have, stand with their keys', () => {
  const definitions = [
    field('shoe_size', 'Schuhgröße (EU)'),
    field('phone', 'phone'),
    field('plan', 'Plan'),
    field('old_plan', 'Plan'),
  ]
  expect(Object.fromEntries(fieldLabelsOf(definitions, ['Name', 'Phone']))).toEqual({
    shoe_size: 'Schuhgröße (EU)',
    phone: 'phone (custom field phone)',
    plan: 'Plan (custom field plan)',
    old_plan: 'Plan (custom field old_plan)',
  })
})
