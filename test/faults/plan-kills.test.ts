import { expect, test } from '@jest/globals'
import { planKills, victims } from './plan-kills.ts'

test('one seed always plans the same kills, and another seed plans others', () => {
  expect(planKills({ seed: 7, kills: 50 })).toEqual(planKills({ seed: 7, kills: 50 }))
  expect(planKills({ seed: 7, kills: 50 })).not.toEqual(planKills({ seed: 8, kills: 50 }))
})

test('every part is killed equally often, one after the other, during the run', () => {
  const kills = planKills({ seed: 3, kills: 50 })
  for (const victim of victims) expect(kills.filter((kill) => kill.victim === victim)).toHaveLength(10)
  expect(kills.map(({ atShare }) => atShare)).toEqual(kills.map(({ atShare }) => atShare).toSorted((a, b) => a - b))
  expect(kills.every(({ atShare }) => atShare > 0 && atShare < 0.9)).toBe(true)
})
