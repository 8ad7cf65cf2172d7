import { describe, expect, test } from '@jest/globals'
import { signed, trendInWords, valuesOf, withChanges } from './member-days.ts'

const day = (of: string, active_member_count: number) => ({ day: of, active_member_count })

describe('the members of days', () => {
  const days = [day('2026-01-01', 10), day('2026-02-01', 40), day('2026-02-28', 30), day('2026-03-03', 25)]

  test('are listed newest first with the change of each', () => {
    expect(withChanges(days).map(({ members, change }) => [members, change])).toEqual([
      [25, -5],
      [30, -10],
      [40, 30],
      [10, null],
    ])
    expect([3, -2, 0, 1_200].map(signed)).toEqual(['+3', '−2', '0', '+1,200'])
  })

  test.each([
    [days, '15 fewer than 30 days ago.'],
    [days.slice(2), '5 fewer than 3 days ago.'],
    [days.slice(0, 2), '30 more than 31 days ago.'],
    [[day('2026-01-01', 4), day('2026-01-02', 4)], 'As many as 1 day ago.'],
    [[day('2026-01-01', 4)], 'Members are counted every day from now on. Tomorrow this shows a line.'],
  ])('tell the trend %#', (of, words) => {
    expect(trendInWords(of)).toBe(words)
  })

  test('are values of a line by their dates', () => {
    expect(valuesOf(days).map(({ at, value }) => [at, value])).toEqual([
      [0, 10],
      [31, 40],
      [58, 30],
      [61, 25],
    ])
  })
})
