import { expect, test } from '@jest/globals'
import { arrayOf } from './array-of.ts'

test('ids, numbers and names become an array as PostgreSQL reads it', () => {
  expect(arrayOf([])).toBe('{}')
  expect(arrayOf(['0197a2e4-0000-7000-8000-0123456789ab', 'hard_bounced', -1, 1.5])).toBe(
    '{0197a2e4-0000-7000-8000-0123456789ab,hard_bounced,-1,1.5}',
  )
})

test.each(['a b', '"', '}', '\\', "'"])('%j, which would need quotes, is refused', (text) => {
  expect(() => arrayOf(['a', text])).toThrow('quotes')
})
