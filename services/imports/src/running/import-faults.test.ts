import { expect, test } from '@jest/globals'
import { faultsOf } from './import-faults.ts'
import type { AppliedCounts, Effects } from './import-report.ts'

const applied: AppliedCounts = {
  contacts_new: 4,
  contacts_existing: 3,
  consent_recorded: 3,
  already_subscribed: 1,
  suppressions_applied: 2,
  already_refused: 1,
  blocked_by_suppression: 1,
  needs_review: 1,
  refused: 1,
}
const effects: Effects = { contacts: 7, consents: 3, suppressions: 2, brought_back: 0, contacts_lost: 0 }

test('an import whose ledger has every row and whose effects are in the record has no faults', () => {
  expect(faultsOf(10, applied, effects)).toEqual({})
})

test('a contact that somebody deleted or erased since is no fault', () => {
  expect(faultsOf(10, applied, { ...effects, contacts: 5 })).toEqual({})
})

test.each<[string, number, Partial<Effects>, object]>([
  ['a row that is not in the ledger', 11, {}, { ledger_rows: { expected: 11, actual: 10 } }],
  ['a row that is in the ledger twice', 9, {}, { ledger_rows: { expected: 9, actual: 10 } }],
  ['a consent that is not in the record', 10, { consents: 2 }, { consents_in_record: { expected: 3, actual: 2 } }],
  [
    'a refusal that is not in the record',
    10,
    { suppressions: 1 },
    { suppressions_in_record: { expected: 2, actual: 1 } },
  ],
  ['a contact that nobody deleted', 10, { contacts_lost: 1 }, { contacts_lost: { expected: 0, actual: 1 } }],
  ['a person who was brought back', 10, { brought_back: 1 }, { brought_back: { expected: 0, actual: 1 } }],
])('%s is a fault', (_, rows, changed, expected) => {
  expect(faultsOf(rows, applied, { ...effects, ...changed })).toEqual(expected)
})
