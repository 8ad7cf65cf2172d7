import { expect, test } from '@jest/globals'
import { arrayOf, textsOf } from './array-of.ts'

test('ids, numbers and names become a PostgreSQL array literal', () => {
  expect(arrayOf([])).toBe('{}')
  expect(arrayOf(['0197a2e4-0000-7000-8000-0123456789ab', 'hard_bounced', -1, 1.5])).toBe(
    '{0197a2e4-0000-7000-8000-0123456789ab,hard_bounced,-1,1.5}',
  )
})

test.each(['a b', '"', '}', '\\', "'"])('%j would need quotes and is refused', (text) => {
  expect(() => arrayOf(['a', text])).toThrow('quotes')
})

test('any texts become an array literal, with what PostgreSQL would read otherwise escaped', () => {
  expect(textsOf([])).toBe('{}')
  expect(textsOf(['a b', null, '', 'NULL', "d'Arc", '{x,y}'])).toBe(`{"a b",NULL,"","NULL","d'Arc","{x,y}"}`)
  expect(textsOf(['say "hi"', 'C:\\x', null])).toBe('{"say \\"hi\\"","C:\\\\x",NULL}')
})
