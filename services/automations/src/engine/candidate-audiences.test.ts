import { expect, test } from '@jest/globals'
import { candidateAudiences } from './candidate-audiences.ts'

test('the audience of the trigger comes first, then joined ones, then memberships, each once', () => {
  expect(candidateAudiences('t', ['j2', 'j1'], ['m', 'j1', 't'])).toEqual(['t', 'j2', 'j1', 'm'])
  expect(candidateAudiences(null, [], ['m'])).toEqual(['m'])
  expect(candidateAudiences(null, [], [])).toEqual([])
})

test('there are at most ten', () => {
  const many = Array.from({ length: 12 }, (_, n) => `m${n}`)
  expect(candidateAudiences('t', ['j'], many)).toEqual(['t', 'j', ...many.slice(0, 8)])
})
