import { expect, test } from '@jest/globals'
import { conditionOf, parseTagFilter } from './tag-filter.ts'

const filter = (given: { any?: string[]; all?: string[]; none?: string[] }) =>
  parseTagFilter({ any: [], all: [], none: [], ...given })

/** The ids of tags. In these tests an id is the name in capitals. */
const ids = new Map(['a', 'b', 'c', 'd'].map((name) => [name, name.toUpperCase()]))

test('a filter without names is null', () => {
  expect([parseTagFilter(undefined), filter({})]).toEqual([null, null])
})

test.each([
  [{ any: ['a', 'b'] }, { required: [['A', 'B']], forbidden: [] }],
  [{ all: ['a', 'b'] }, { required: [['A'], ['B']], forbidden: [] }],
  [
    { any: ['a'], all: ['b'], none: ['c', 'd', 'c'] },
    { required: [['A'], ['B']], forbidden: ['C', 'D'] },
  ],
])('%j', (given, condition) => {
  expect(conditionOf(filter(given)!, ids)).toEqual(condition)
})

test.each([{ any: ['a', 'gone'] }, { all: ['gone'] }, { none: ['gone'] }])(
  '%j with an unknown tag is refused',
  (given) => {
    expect(() => conditionOf(filter(given)!, ids)).toThrow(
      expect.objectContaining({ code: 'failed_precondition', reason: 'tag_filter' }),
    )
  },
)

test.each([
  ['tag_filter.any', { any: [''] }],
  ['tag_filter.all', { all: ['x'.repeat(101)] }],
  ['tag_filter.none', { none: ['a\u0000'] }],
  ['tag_filter.none', { none: Array.from({ length: 51 }, (_, n) => `t${n}`) }],
])('an invalid %s is refused with the name of the field', (reason, given) => {
  expect(() => filter(given)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason }))
})
