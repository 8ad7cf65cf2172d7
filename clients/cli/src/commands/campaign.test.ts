import { expect, test } from '@jest/globals'
import { momentOf } from './campaign.ts'

const now = Date.parse('2026-11-24T10:00:00Z')

test.each([
  ['+90m', '2026-11-24T11:30:00.000Z'],
  ['+2h', '2026-11-24T12:00:00.000Z'],
  ['+3d', '2026-11-27T10:00:00.000Z'],
  ['2026-12-01T09:00:00+01:00', '2026-12-01T09:00:00+01:00'],
])('%s is %s', (at, moment) => {
  expect(momentOf(at, now)).toBe(moment)
})

test.each(['tomorrow', '2026-12-01T09:00:00', '+2w', '2026-13-01T09:00:00Z'])('%s is refused', (at) => {
  expect(() => momentOf(at, now)).toThrow('no moment')
})
