import { expect, test } from '@jest/globals'
import { progressOf, reasonsOf, reconciliationOf, rowsOf, totalsOf } from './report.ts'

test('a report puts each row in one count', () => {
  const report = { rows_total: 5, rows_invalid: 2, consent_to_record: 3, contacts_new: 3 }
  const counts = rowsOf(report)
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(5)
  expect(counts.find(({ name }) => name === 'rows_invalid')?.count).toBe(2)
  expect(totalsOf(report)).toEqual({ rows: 5, newContacts: 3, knownContacts: 0 })
})

test('an empty report has no reasons, no progress and no reconciliation', () => {
  expect(reasonsOf({})).toEqual([])
  expect(progressOf({})).toBeUndefined()
  expect(reconciliationOf({})).toBeUndefined()
})

test('progress has its phase in words', () => {
  expect(progressOf({ progress: { phase: 'dry_run', rows_done: 1_000, rows_total: 4_000 } })).toEqual({
    phase: 'Dry run',
    words: '1,000 of 4,000 rows',
    percent: 25,
  })
  expect(progressOf({ progress: { phase: 'reading', rows_done: 1 } })?.words).toBe('1 row')
})

test('reconciliation compares each count', () => {
  const reconciliation = {
    expected: { contacts_new: 2 },
    actual: { contacts_new: 2, needs_review: 1, a_new_one: 0 },
    matches: false,
  }
  expect(reconciliationOf({ reconciliation })).toEqual({
    matches: false,
    counts: [
      { name: 'New contacts', expected: 2, actual: 2 },
      { name: 'Need a review', expected: 0, actual: 1 },
      { name: 'A new one', expected: 0, actual: 0 },
    ],
  })
})
