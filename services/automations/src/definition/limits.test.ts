import { expect, test } from '@jest/globals'
import type { Definition, EdgeCondition } from './definition.ts'
import { tooLarge, tooManyComparisons } from './limits.ts'

const one: EdgeCondition = { subject: { field: 'locale' }, operator: 'equals', value: 'de' }
const list = (size: number): EdgeCondition => ({
  subject: { field: 'locale' },
  operator: 'in',
  value: Array.from({ length: size }, (_, n) => `l${n}`),
})
const asking = (...conditions: EdgeCondition[]): Definition => ({
  trigger: { type: 'manual' },
  startNode: 'a',
  nodes: [],
  edges: conditions.map((condition, n) => ({ from: 'a', to: 'b', branch: `${n}`, condition })),
})

test('the conditions of a definition compare at most 500 values, and each value of a list counts', () => {
  const most = asking({ all: [list(100), { not: list(100) }] }, { any: [list(100), list(100)] }, list(99), one)
  expect(tooManyComparisons(most)).toEqual([])
  expect(tooManyComparisons(asking(...most.edges.map(({ condition }) => condition!), one))).toEqual([
    'The conditions of the definition compare 501 values. Each value of a list counts, and contains counts ten times. Compare at most 500.',
  ])
})

test('contains counts ten times, because it reads the whole text of a field', () => {
  const contains: EdgeCondition = { subject: { field: 'company' }, operator: 'contains', value: 'x' }
  const most = Array.from({ length: 50 }, () => contains)
  expect(tooManyComparisons(asking(...most))).toEqual([])
  expect(tooManyComparisons(asking(...most, contains))).toEqual([expect.stringContaining('compare 510 values')])
})

test('a definition has at most 262,144 bytes as JSON, and a character may have several bytes', () => {
  const ofBytes = (bytes: number) => ({ text: 'é'.repeat((bytes - 11) / 2) })
  expect(tooLarge(ofBytes(262_143))).toEqual([])
  expect(tooLarge(ofBytes(262_145))).toEqual(['The definition has 262145 bytes as JSON. Send at most 262144.'])
})
