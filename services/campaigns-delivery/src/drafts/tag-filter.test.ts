import { expect, test } from '@jest/globals'
import { parseTagFilter } from './tag-filter.ts'

test.each([
  [undefined, null],
  [{}, null],
  [{ any: [], all: null }, null],
  [{ any: [' vip ', 'vip', 'Vip'] }, { any: ['vip', 'Vip'] }],
  [
    { any: ['a'], all: ['b', 'c'], none: [] },
    { any: ['a'], all: ['b', 'c'] },
  ],
])('%j is stored as %j', (given, kept) => {
  expect(parseTagFilter(given)).toEqual(kept)
})

test.each([
  ['tag_filter', { anny: ['vip'] }],
  ['tag_filter.any', { any: 'vip' }],
  ['tag_filter.all', { all: [1] }],
  ['tag_filter.none', { none: [' '] }],
  ['tag_filter.none', { none: ['x'.repeat(101)] }],
  ['tag_filter.any', { any: Array.from({ length: 51 }, (_, n) => `t${n}`) }],
])('the error of an invalid filter names %s', (reason, given) => {
  expect(() => parseTagFilter(given)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason }))
})
