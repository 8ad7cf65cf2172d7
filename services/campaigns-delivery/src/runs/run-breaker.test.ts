import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { judgeRefusals, judgeRun } from './run-breaker.ts'

const limits = { complaintRate: 0.3, hardBounceRate: 5, settledMin: 200 }
const none = { settled: 0, complained: 0, hard_bounced: 0 }
const judge = (settled: number, complained: number, hard_bounced: number, from = none) =>
  judgeRun({ settled, complained, hard_bounced }, from, limits)

test('a run is not judged before enough recipients have settled', () => {
  expect(judge(199, 199, 199)).toBeUndefined()
  expect(judge(200, 200, 0)).toMatchObject({ rule: 'complaint_rate' })
})

test.each([
  [1_000, 3, 0, undefined],
  [1_000, 4, 0, { rule: 'complaint_rate', settled: 1_000, count: 4, rate: 0.4, limit: 0.3 }],
  [200, 0, 10, undefined],
  [200, 0, 11, { rule: 'hard_bounce_rate', settled: 200, count: 11, rate: 5.5, limit: 5 }],
  [200, 1, 100, { rule: 'complaint_rate', settled: 200, count: 1, rate: 0.5, limit: 0.3 }],
  [333, 1, 0, { rule: 'complaint_rate', settled: 333, count: 1, rate: 0.3003, limit: 0.3 }],
  [100_000, 300, 5_000, undefined],
])('of %s settled, %s complained and %s bounced: %j', (settled, complained, bounced, expected) =>
  expect(judge(settled, complained, bounced)).toEqual(expected),
)

test('the shown rate is always more than the shown limit', () => {
  const people = fc.integer({ min: 200, max: 1_000_000 })
  const limitOfConfig = fc.integer({ min: 0, max: 9_900 }).map((hundredths) => hundredths / 100)
  fc.assert(
    fc.property(people, limitOfConfig, (settled, limit) => {
      const complained = Math.floor((settled * limit) / 100) + 1
      const why = judgeRun({ settled, complained, hard_bounced: 0 }, none, { ...limits, complaintRate: limit })
      if (!why) return
      expect(why.rate).toBeGreaterThan(limit)
      expect(Math.abs(why.rate - (complained * 100) / settled)).toBeLessThanOrEqual(0.005)
    }),
  )
})

test('the numbers of one pause do not pause the run again; equally many and bad new ones do', () => {
  const from = { settled: 200, complained: 0, hard_bounced: 20 }
  expect(judge(200, 0, 20, from)).toBeUndefined()
  expect(judge(399, 0, 219, from)).toBeUndefined()
  expect(judge(400, 0, 30, from)).toBeUndefined()
  expect(judge(400, 0, 31, from)).toEqual({ rule: 'hard_bounce_rate', settled: 200, count: 11, rate: 5.5, limit: 5 })
})

test('a limit of 100 percent is never exceeded, and without a minimum the first recipient counts', () => {
  expect(
    judgeRun({ settled: 500, complained: 500, hard_bounced: 0 }, none, { ...limits, complaintRate: 100 }),
  ).toBeUndefined()
  const strict = { complaintRate: 0, hardBounceRate: 0, settledMin: 0 }
  expect(judgeRun(none, none, strict)).toBeUndefined()
  expect(judgeRun({ settled: 1, complained: 1, hard_bounced: 0 }, none, strict)).toMatchObject({ count: 1, rate: 100 })
})

describe('a batch whose recipients are tried one at a time', () => {
  test.each([
    [19, 19, undefined],
    [20, 20, { rule: 'refused_rate', settled: 20, count: 20, rate: 100, limit: 95 }],
    [20, 19, undefined],
    [100, 95, undefined],
    [100, 96, { rule: 'refused_rate', settled: 100, count: 96, rate: 96, limit: 95 }],
  ])('%s tried, %s refused: %j', (tried, refused, expected) =>
    expect(judgeRefusals({ batch: 1, tried, refused }, undefined)).toEqual(expected),
  )

  test('is judged from the recipients tried after the run was resumed', () => {
    const from = { batch: 1, tried: 20, refused: 20 }
    expect(judgeRefusals({ batch: 1, tried: 39, refused: 39 }, from)).toBeUndefined()
    expect(judgeRefusals({ batch: 1, tried: 40, refused: 40 }, from)).toMatchObject({ settled: 20, count: 20 })
    expect(judgeRefusals({ batch: 2, tried: 20, refused: 20 }, from)).toMatchObject({ settled: 20, count: 20 })
  })
})
