import { expect, test } from '@jest/globals'
import { arrayOf, textsOf, uuidsOf } from './array-of.ts'

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

test('UUIDs become a binary array, with nulls', () => {
  const id = '0197a2e4-0000-7000-8000-0123456789ab'
  const hex = id.replaceAll('-', '')
  const int = (value: number) => value.toString(16).padStart(8, '0')
  expect(uuidsOf([]).toString('hex')).toBe(`${int(0)}${int(0)}${int(2950)}`)
  expect(uuidsOf([id, id]).toString('hex')).toBe(
    `${int(1)}${int(0)}${int(2950)}${int(2)}${int(1)}${int(16)}${hex}${int(16)}${hex}`,
  )
  expect(uuidsOf([null, id]).toString('hex')).toBe(
    `${int(1)}${int(1)}${int(2950)}${int(2)}${int(1)}ffffffff${int(16)}${hex}`,
  )
  expect(uuidsOf([id.toUpperCase()])).toEqual(uuidsOf([id]))
  for (const wrong of [
    '',
    '0197a2e4',
    'x197a2e4-0000-7000-8000-0123456789ab',
    '0197a2e4-0000-7000-8000-0123456789aé',
    '0197a2e4-0000-7000-8000-0123456789a\u0161',
    '0197a2e4-0000-7000-80000-123456789ab',
    '0197a2e4-0000-7000-8000-0123456789ab0',
    '-0197a2e40000-7000-8000-0123456789ab',
  ])
    expect(() => uuidsOf([id, wrong])).toThrow('UUIDs')
})
