import { expect, test } from '@jest/globals'
import { paceOf, withSample, type PaceSample } from './pace.ts'

test('the pace needs two samples', () => {
  expect(paceOf([], 10)).toEqual({})
  expect(paceOf([{ at: 0, sent: 5 }], 10)).toEqual({})
})

test('the pace of a run that stalls falls to zero, without a time left', () => {
  let samples: readonly PaceSample[] = []
  const answer = (at: number, sent: number) => {
    samples = withSample(samples, { at, sent })
    return paceOf(samples, 100)
  }
  answer(0, 0)
  expect(answer(10_000, 100)).toEqual({ rate: '10 a second', timeLeft: 'about 10 seconds' })
  expect(answer(20_000, 100)).toEqual({ rate: '5 a second', timeLeft: 'about 20 seconds' })
  answer(30_000, 100)
  expect(answer(40_000, 100)).toEqual({ rate: '0 a minute' })
})

test('an answer that is drawn twice is one sample', () => {
  const samples = withSample([], { at: 1_000, sent: 5 })
  expect(withSample(samples, { at: 1_000, sent: 5 })).toEqual(samples)
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
