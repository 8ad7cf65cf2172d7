import { expect, test } from '@jest/globals'
import { conditionOf, parseTagFilter } from './tag-filter.ts'

const filter = (given: { any?: string[]; all?: string[]; none?: string[] }) =>
  parseTagFilter({ any: [], all: [], none: [], ...given })

test('a filter without names asks for nothing', () => {
  expect([parseTagFilter(undefined), filter({})]).toEqual([null, null])
})

test.each([
  [{ any: ['a', 'b'] }, { required: [['a', 'b']], forbidden: [] }],
  [{ all: ['a', 'b'] }, { required: [['a'], ['b']], forbidden: [] }],
  [
    { any: ['a'], all: ['b'], none: ['c', 'd', 'c'] },
    { required: [['a'], ['b']], forbidden: ['c', 'd'] },
  ],
])('%j', (given, condition) => {
  expect(conditionOf(filter(given)!, undefined)).toEqual(condition)
})

test('while a tag is renamed its two names mean one tag, wherever one of them stands', () => {
  const running = { from: 'old', to: 'new' }
  expect(conditionOf(filter({ any: ['x', 'old'], all: ['new', 'y'], none: ['old'] })!, running)).toEqual({
    required: [['x', 'old', 'new'], ['new', 'old'], ['y']].map((group) => expect.arrayContaining(group)),
    forbidden: expect.arrayContaining(['old', 'new']),
  })
})

test.each([
  ['tag_filter.any', { any: [''] }],
  ['tag_filter.all', { all: ['x'.repeat(101)] }],
  ['tag_filter.none', { none: ['a\u0000'] }],
  ['tag_filter.none', { none: Array.from({ length: 51 }, (_, n) => `t${n}`) }],
])('%s is named when it is wrong', (reason, given) => {
  expect(() => filter(given)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason }))
})
