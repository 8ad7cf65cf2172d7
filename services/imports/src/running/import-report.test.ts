import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { appliedCounts, reportOf } from './import-report.ts'
import { emptyTally, tallyInvalid, tallyOutcomes } from './row-tally.ts'

const outcomes = [
  'consent_recorded',
  'already_subscribed',
  'needs_review',
  'withdrawn',
  'suppressed',
  'already_refused',
  'blocked_by_suppression',
  'refused',
]
const reasons = ['review_required', 'consent_withdrawn', 'erased', 'country_code_invalid', 'too_many_tags']

test('the counts of a report add up for every file: each row is in exactly one of them', () => {
  const outcome = fc.record({
    outcome: fc.constantFrom(...outcomes),
    contact: fc.constantFrom('', 'new', 'existing'),
    reasons: fc.uniqueArray(fc.constantFrom(...reasons)),
    rows: fc.nat(1_000),
  })
  const file = fc.record({
    invalid: fc.array(fc.constantFrom('email_invalid', 'too_few_cells')),
    duplicates: fc.nat(100),
    outcomes: fc.array(outcome),
  })
  fc.assert(
    fc.property(file, (given) => {
      const tally = { ...emptyTally(), duplicates: given.duplicates }
      for (const reason of given.invalid) tallyInvalid(tally, reason)
      tallyOutcomes(tally, given.outcomes)
      const report = reportOf(tally, ',')
      const decided = given.outcomes.reduce((sum, { rows }) => sum + rows, 0)
      expect(report.rows_total).toBe(given.invalid.length + given.duplicates + decided)
      expect(report.rows_valid + report.rows_invalid).toBe(report.rows_total)
      expect(Object.values(report.invalid_reasons).reduce((sum, count) => sum + count, 0)).toBe(report.rows_invalid)
      expect(
        report.duplicate_rows +
          report.consent_to_record +
          report.already_subscribed +
          report.suppressions_to_apply +
          report.already_refused +
          report.blocked_by_suppression +
          report.needs_review,
      ).toBe(report.rows_valid)
      const applied = appliedCounts(tally)
      expect(applied).toMatchObject({
        contacts_new: report.contacts_new,
        consent_recorded: report.consent_to_record,
        suppressions_applied: report.suppressions_to_apply,
        refused: report.rows_invalid,
      })
      for (const { what_to_change: change } of report.reasons) expect(change).toMatch(/^[A-Z].*\.$/)
    }),
  )
})

test('a row with several problems is invalid once, and every problem is named', () => {
  const tally = emptyTally()
  const problems = ['first_name_too_long', 'custom.size_invalid']
  tallyOutcomes(tally, [{ outcome: 'refused', contact: '', reasons: problems, rows: 3 }])
  expect(reportOf(tally, ',')).toMatchObject({
    rows_total: 3,
    rows_invalid: 3,
    invalid_reasons: { first_name_too_long: 3 },
    reasons: [
      { reason: 'custom.size_invalid', count: 3, what_to_change: expect.stringContaining('custom field') },
      { reason: 'first_name_too_long', count: 3, what_to_change: expect.stringContaining('Shorten') },
    ],
  })
})

test('the advice for rows of an address that is there already says what would have to change', () => {
  const { reasons: told } = reportOf({ ...emptyTally(), duplicates: 2 }, ',')
  expect(told).toEqual([
    {
      reason: 'duplicate_address',
      count: 2,
      what_to_change: expect.stringMatching(/^Delete the other rows of the address/),
    },
  ])
})
