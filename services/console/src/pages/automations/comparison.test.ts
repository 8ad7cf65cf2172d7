import { expect, test } from '@jest/globals'
import { combined, comparisonOf, conditionOf, firstCondition, needsValue, operatorsOf, partsOf } from './comparison.ts'

test.each([
  [{ tag: 'vip', operator: 'exists' }, undefined],
  [{ audience_id: 'a1', operator: 'not_exists' }, undefined],
  [{ field: 'company', operator: 'equals', value: 'Acme' }, undefined],
  [{ field: 'custom.size', operator: 'greater_than', value: 41.5 }, 'decimal'],
  [{ field: 'custom.keen', operator: 'equals', value: true }, 'boolean'],
  [{ field: 'country_code', operator: 'in', value: ['GB', 'FR'] }, undefined],
  [{ score: true, operator: 'in', value: [1, 2] }, undefined],
])('%j survives the inputs', (condition, type) => {
  const comparison = comparisonOf(condition)!
  expect(operatorsOf(comparison.subject)).toContain(comparison.operator)
  expect(conditionOf(comparison, type)).toEqual(condition)
})

test.each([
  { all: [{ tag: 'vip', operator: 'exists' }] },
  { not: { tag: 'vip', operator: 'exists' } },
  { tag: 'vip', operator: 'exists', since: '2026' },
  {},
])('%j has no inputs and is kept as it is', (condition) => {
  expect(comparisonOf(condition)).toBeNull()
})

test('a value that is not of the type of the field stays as it was typed, so that the service can refuse it', () => {
  const comparison = { subject: 'score', of: '', operator: 'greater_than', value: 'many' } as const
  expect(conditionOf(comparison)).toEqual({ score: true, operator: 'greater_than', value: 'many' })
  expect(conditionOf({ ...comparison, subject: 'field', of: 'custom.keen', value: 'maybe' }, 'boolean')).toEqual({
    field: 'custom.keen',
    operator: 'greater_than',
    value: 'maybe',
  })
})

test('presence needs no value, and only the score cannot be looked for', () => {
  expect([needsValue('exists'), needsValue('equals')]).toEqual([false, true])
  expect(operatorsOf('score')).not.toContain('exists')
  expect(operatorsOf('tag')).toEqual(['exists', 'not_exists'])
})

const vip = { tag: 'vip', operator: 'exists' }
const keen = { field: 'custom.keen', operator: 'equals', value: true }

test.each([{ all: [vip, keen] }, { any: [vip, { not: keen }] }, { not: vip }])('%j survives its parts', (condition) => {
  const { combination, parts } = partsOf(condition)
  expect(combined(combination, parts)).toEqual(condition)
})

test('a condition keeps its parts when they are combined in another way', () => {
  expect(combined('any', partsOf({ all: [vip, keen] }).parts)).toEqual({ any: [vip, keen] })
  expect(combined('one', [vip, keen])).toEqual(vip)
  expect(combined('all', [])).toEqual({ all: [firstCondition] })
  expect(partsOf(vip)).toEqual({ combination: 'one', parts: [] })
  expect(partsOf({ all: [vip], since: '2026' }).combination).toBe('one')
})
