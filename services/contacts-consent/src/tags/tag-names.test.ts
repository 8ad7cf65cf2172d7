import { expect, test } from '@jest/globals'
import { parseTags } from './tag-names.ts'

test('tags are trimmed and unique, in the given order, at most fifty', () => {
  expect(parseTags([' b ', 'a', 'b'])).toEqual(['b', 'a'])
  expect(parseTags(Array.from({ length: 50 }, (_, n) => `${n}`))).toHaveLength(50)
  for (const given of [Array.from({ length: 51 }, (_, n) => `${n}`), [' '], ['x'.repeat(101)]]) {
    expect(() => parseTags(given)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason: 'tags' }))
  }
})
