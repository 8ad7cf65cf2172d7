import { expect, test } from '@jest/globals'
import { approvalInWords, evidenceOf, statusOfRows } from './consent-words.ts'

const policy = {
  evidence_reference: 'export 17',
  consent_basis: 'double opt-in',
  wording_version: '',
  static_tags: ['x'],
}

test('the evidence is the texts that were given, each with its name', () => {
  expect(evidenceOf({ policy })).toEqual([
    ['Basis of the consent', 'double opt-in'],
    ['Where the evidence is kept', 'export 17'],
  ])
  expect(evidenceOf({ policy: {} })).toEqual([])
})

test('an approval says the audience, the policy, the evidence and how many people are subscribed', () => {
  const report = { consent_to_record: 2_000, suppressions_to_apply: 1 }
  expect(approvalInWords({ consent_policy: 'explicit_opt_in', policy, report }, 'Weekly news')).toEqual([
    'The audience is “Weekly news”.',
    'Everybody in the file agreed, and there is evidence.',
    'The evidence: double opt-in · export 17',
    '2,000 people are subscribed.',
    '1 person is suppressed.',
  ])
  expect(approvalInWords({ consent_policy: 'review_required', policy: {}, report: {} }, 'Weekly news')).toEqual([
    'The audience is “Weekly news”.',
    'Nobody is subscribed: a person reviews each consent afterwards.',
    'This import subscribes nobody.',
  ])
})

test('rows without a status are named only if the policy gives them one', () => {
  expect(statusOfRows({ consent_policy: 'explicit_opt_in', policy: {} })).toBeUndefined()
  expect(statusOfRows({ consent_policy: 'explicit_opt_in', policy: { default_status: 'pending' } })).toBe('Pending')
  expect(statusOfRows({ consent_policy: 'status_column', policy: { default_status: 'subscribed' } })).toBe(
    'Nothing: an empty cell is never consent',
  )
})
