import { expect, test } from '@jest/globals'
import { paceOf } from './pace.ts'

test('the pace needs two different samples', () => {
  expect(paceOf([], 10)).toEqual({})
  expect(paceOf([{ at: 0, sent: 5 }], 10)).toEqual({})
  expect(
    paceOf(
      [
        { at: 0, sent: 5 },
        { at: 1_000, sent: 5 },
      ],
      10,
    ),
  ).toEqual({})
})

test('the pace is told for a second, or for a minute if it is slow', () => {
  const fast = [
    { at: 0, sent: 0 },
    { at: 2_000, sent: 500 },
  ]
  expect(paceOf(fast, 2_500)).toEqual({ rate: '250 a second', timeLeft: 'about 10 seconds' })
  const slow = [
    { at: 0, sent: 0 },
    { at: 30_000, sent: 10 },
  ]
  expect(paceOf(slow, 20)).toEqual({ rate: '20 a minute', timeLeft: 'about 1 minute' })
  expect(paceOf(fast, 0).timeLeft).toBe('about a moment')
})
