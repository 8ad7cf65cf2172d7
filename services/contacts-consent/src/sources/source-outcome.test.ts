import { expect, test } from '@jest/globals'
import { outcomeOf, type ClaimState } from './source-outcome.ts'

const free: ClaimState = {
  is_platform_suppressed: false,
  is_workspace_suppressed: false,
  is_audience_suppressed: false,
  is_unverified_legacy: false,
  is_overtaken: false,
  needs_confirmation: false,
}
/** In the order of weight: each is told unless one before it holds. */
const reasons = [
  ['is_platform_suppressed', 'suppressed', 'suppressed_platform'],
  ['is_workspace_suppressed', 'suppressed', 'suppressed_workspace'],
  ['is_audience_suppressed', 'suppressed', 'suppressed_audience'],
  ['is_unverified_legacy', 'review_required', 'review_legacy_contact'],
  ['is_overtaken', 'review_required', 'review_consent_conflict'],
  ['needs_confirmation', 'review_required', 'confirmation_pending'],
] as const

test('a claim without objections is accepted', () => {
  expect(outcomeOf(free)).toEqual({ status: 'accepted', reasonClass: null })
})

test('the answer has the strongest objection to a claim', () => {
  for (let mask = 1; mask < 2 ** reasons.length; mask += 1) {
    const holding = reasons.filter((_, bit) => mask & (1 << bit))
    const state = { ...free, ...Object.fromEntries(holding.map(([name]) => [name, true])) }
    const [, status, reasonClass] = holding[0]!
    expect(outcomeOf(state)).toEqual({ status, reasonClass })
  }
})
