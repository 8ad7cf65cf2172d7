import { expect, test } from '@jest/globals'
import { candidateAudiences } from './candidate-audiences.ts'

const own = (joined: string[], ofFirstEmail: string | null = null) => ({ joined, ofFirstEmail })

test.each([
  ['t', own(['j2', 'j1', 't'], 'e'), ['t', 'j2', 'j1']],
  ['t', undefined, ['t']],
  [null, own(['j2', 'j1'], 'e'), ['j2', 'j1']],
  [null, own([], 'e'), ['e']],
  [null, own([]), ['m']],
  [null, undefined, ['m']],
])('the trigger %j with the steps %j gives %j, also to a member of others', (ofTrigger, steps, audiences) => {
  expect(candidateAudiences({ ofTrigger, own: steps, memberships: ['m', 'm'] })).toEqual(audiences)
})

test('there are at most ten', () => {
  const many = Array.from({ length: 12 }, (_, n) => `a${n}`)
  expect(candidateAudiences({ ofTrigger: 't', own: own(many), memberships: [] })).toEqual(['t', ...many.slice(0, 9)])
  expect(candidateAudiences({ ofTrigger: null, own: undefined, memberships: many })).toEqual(many.slice(0, 10))
})
