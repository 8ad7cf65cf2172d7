import { expect, test } from '@jest/globals'
import { objectCharsMax, optionalObject } from './free-object.ts'

const ofLength = (chars: number) => ({ note: 'x'.repeat(chars - JSON.stringify({ note: '' }).length) })

test('a free object is accepted unchanged, up to its limit', () => {
  expect(optionalObject('evidence', undefined)).toBeUndefined()
  const longest = ofLength(objectCharsMax)
  expect(optionalObject('evidence', longest)).toBe(longest)
  expect(() => optionalObject('evidence', ofLength(objectCharsMax + 1))).toThrow(
    'evidence is longer than 16384 characters. Shorten it.',
  )
})
