import { expect, test } from '@jest/globals'
import { gateState } from './gate-state.ts'

test.each([
  ['open', { effective: { g: true }, ceilings: { g: true } }],
  ['open', { effective: { g: true }, ceilings: {} }],
  ['below_ceiling', { effective: { g: false }, ceilings: { g: false } }],
  ['switched_off', { effective: { g: false }, ceilings: { g: true } }],
  ['switched_off', { effective: { g: false }, ceilings: {} }],
  ['switched_off', { effective: {}, ceilings: { g: true } }],
] as const)('is %s by %j', (state, answer) => expect(gateState(answer, 'g')).toBe(state))
