import { expect, test } from '@jest/globals'
import { linePointsOf } from './line-points.ts'

test('a line goes by the places of its values, between the lowest and the highest', () => {
  const values = [
    { at: 1, value: 10 },
    { at: 32, value: 40 },
    { at: 59, value: 30 },
    { at: 62, value: 25 },
  ]
  expect(linePointsOf(values, { width: 61, height: 30 })).toEqual([
    { x: 0, y: 30 },
    { x: 31, y: 0 },
    { x: 58, y: 10 },
    { x: 61, y: 15 },
  ])
})

test('equal values are in the middle, and one value is at the beginning', () => {
  const same = [
    { at: 0, value: 4 },
    { at: 2, value: 4 },
  ]
  expect(linePointsOf(same, { width: 10, height: 10 })).toEqual([
    { x: 0, y: 5 },
    { x: 10, y: 5 },
  ])
  expect(linePointsOf(same.slice(0, 1), { width: 10, height: 10 })).toEqual([{ x: 0, y: 5 }])
})
