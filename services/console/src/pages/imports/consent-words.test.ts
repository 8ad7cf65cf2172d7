import { expect, test } from '@jest/globals'
import { approvalInWords, evidenceOf, statusOfRows } from './consent-words.ts'

const policy = {
  evidence_reference: 'export 17',
  consent_basis: 'double opt-in',
  wording_version: '',
  static_tags: ['x'],
}

test('the evidence is the texts that were given, each with its name', () => {
  const job = { policy, report: {}, report_checksum: null }
  expect(evidenceOf(job)).toEqual([
    ['Basis of the consent', 'double opt-in'],
    ['Where the evidence is kept', 'export 17'],
  ])
  expect(evidenceOf({ ...job, policy: {} })).toEqual([])
})

test.each([
  [{ consent_to_record: 1 }, 2],
  [{ needs_review: 1 }, 2],
  [{ already_subscribed: 3, suppressions_to_apply: 1 }, 0],
])('with the report %j there are %i texts of evidence', (report, count) => {
  expect(evidenceOf({ policy, report, report_checksum: 'x' })).toHaveLength(count)
})

test('an approval says audience, columns, tags, policy, evidence and what happens to how many people', () => {
  const columns = { used: [{ key: 'Mail', label: 'Mail', target: 'Email' }], leftOut: ['Colour'] }
  const report_checksum = 'x'
  const report = { consent_to_record: 2_000, suppressions_to_apply: 1, needs_review: 1 }
  const job = { consent_policy: 'explicit_opt_in', policy, report, report_checksum } as const
  expect(approvalInWords(job, 'Weekly news', columns)).toEqual([
    'The audience is “Weekly news”.',
    'Every contact gets the tag “x”.',
    'Everybody in the file agreed, and there is evidence.',
    'The evidence: double opt-in · export 17',
    '2,000 people are subscribed.',
    '1 person is unsubscribed or suppressed.',
    '1 row goes under review.',
    'The columns: Mail → Email.',
    'Left out: Colour.',
  ])
  const reviewed = { consent_policy: 'review_required', policy: {}, report: {}, report_checksum } as const
  expect(approvalInWords(reviewed, 'Weekly news', { ...columns, leftOut: [] })).toEqual([
    'The audience is “Weekly news”.',
    'This import subscribes nobody.',
    'The columns: Mail → Email.',
  ])
  const left = { ...reviewed, policy: { default_status: 'unsubscribed' }, report: { suppressions_to_apply: 3 } }
  expect(approvalInWords(left, 'Weekly news', columns).slice(1, 4)).toEqual([
    'This import subscribes nobody.',
    'Rows without a status: They leave this audience, also those who are subscribed now.',
    '3 people are unsubscribed or suppressed.',
  ])
})

test('rows without a status are named only if the policy gives them one', () => {
  expect(statusOfRows({ consent_policy: 'explicit_opt_in', policy: {} })).toBeUndefined()
  expect(statusOfRows({ consent_policy: 'explicit_opt_in', policy: { default_status: 'pending' } })).toBe('Pending')
  expect(statusOfRows({ consent_policy: 'status_column', policy: { default_status: 'subscribed' } })).toBe(
    'Nothing: an empty cell is never consent',
  )
})
