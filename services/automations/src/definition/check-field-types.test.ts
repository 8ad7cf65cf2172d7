import { expect, test } from '@jest/globals'
import { checkFieldTypes } from './check-field-types.ts'
import type { AutomationNode, EdgeCondition, Definition, JsonValue, Operator } from './definition.ts'

const types = new Map([
  ['age', 'integer'],
  ['price', 'decimal'],
  ['member', 'boolean'],
  ['birthday', 'date'],
  ['seen', 'datetime'],
  ['topics', 'multiple_choice'],
  ['plan', 'single_choice'],
])

const of = (more: Partial<Definition>): Definition => ({
  trigger: { type: 'manual' },
  startNode: 'a',
  nodes: [],
  edges: [],
  ...more,
})
const node = (work: AutomationNode) => checkFieldTypes(of({ nodes: [work] }), types)
const set = (field: string, value: JsonValue) => node({ key: 'a', type: 'update_contact_field', field, value })
const compare = (field: string, operator: Operator, value: JsonValue) => {
  const condition: EdgeCondition = { any: [{ not: { subject: { field }, operator, value } }] }
  return checkFieldTypes(of({ edges: [{ from: 'a', to: 'b', branch: 'x', condition }] }), types)
}

test.each<[string, JsonValue, JsonValue]>([
  ['first_name', 'Ada', 5],
  ['custom.age', 5, 5.5],
  ['custom.price', 5.5, '5.5'],
  ['custom.member', false, 'no'],
  ['custom.birthday', '2000-02-29', '2001-02-29'],
  ['custom.seen', '2027-01-01T00:00:00Z', '2027-01-01'],
  ['custom.topics', ['a'], 'a'],
  ['custom.plan', 'a', ['a']],
])('a value for %s must be of its type, and null clears it', (field, fitting, other) => {
  expect([set(field, fitting), set(field, null)]).toEqual([[], []])
  expect(set(field, other)).toEqual([expect.stringContaining(`${field} is of the type`)])
})

test.each<[string, Operator, JsonValue, boolean]>([
  ['custom.age', 'greater_than', 17, true],
  ['custom.birthday', 'less_than', '2000-01-01', true],
  ['locale', 'greater_than', 'de', false],
  ['custom.member', 'less_than', true, false],
  ['company', 'contains', 'Ltd', true],
  ['custom.topics', 'contains', 'a', true],
  ['custom.age', 'contains', 1, false],
  ['custom.member', 'equals', true, true],
  ['custom.age', 'equals', '17', false],
  ['custom.plan', 'in', ['a', 'b'], true],
  ['custom.age', 'in', [1, 'b'], false],
  ['custom.seen', 'exists', null, true],
])('comparing %s by %s with %j is possible: %j', (field, operator, value, isPossible) => {
  expect(compare(field, operator, value).length === 0).toBe(isPossible)
})

test('waits and triggers by date need a date', () => {
  expect(node({ key: 'a', type: 'wait_until_date', until: { field: 'custom.seen' } })).toEqual([])
  expect(node({ key: 'a', type: 'wait_until_date', until: { field: 'custom.age' } })).toHaveLength(1)
  const triggered = (field: string) =>
    checkFieldTypes(of({ trigger: { type: 'contact_date', field, offsetDays: 1 } }), types)
  expect([triggered('custom.birthday').length, triggered('first_name').length]).toEqual([0, 1])
})
