import { expect, test } from '@jest/globals'
import type { SyntheticRehearsal } from '@lettergate/client'
import { basisInWords, capacityChecksOf, capacityReportOf, capacityStagesOf, secondsInWords } from './capacity.ts'

const report = {
  run_state: 'completed',
  recipients: { eligible: 900, excluded: 100, sent: 900, exclusion_counts: { suppressed_workspace: 100 } },
  batches: { count: 9, size: 100 },
  crashes: { before_intent: 1, after_intent: 1 },
  stages: [
    { name: 'contacts', recipients: 1_000, milliseconds: 500, recipients_per_second: 2_000 },
    { name: 'recovery', recipients: 200, milliseconds: 10, recipients_per_second: 20_000 },
    { name: 'claim', recipients: 700, milliseconds: 70, recipients_per_second: 10_000 },
    { name: 'eligibility', recipients: 1_000, milliseconds: 300, recipients_per_second: 3_333 },
  ],
  prediction: {
    basis: 'rehearsal',
    runs: 0,
    snapshot_seconds: 0.21,
    delivery_seconds: 0.4,
    total_seconds: 0.61,
    at_least_seconds: 0.3,
    at_most_seconds: 1.83,
    within_target: true,
  },
  remaining_rows: 0,
}
const run: SyntheticRehearsal = {
  id: 'run',
  workspace_id: 'workspace',
  state: 'completed',
  recipient_count: 1_000,
  target_seconds: 60,
  provider_call_count: 0,
  requested_by_wallet_id: 'owner',
  created_at: '2026-09-14T09:00:00Z',
  report,
  report_checksum: 'c',
  elapsed_milliseconds: 1_840,
  eligible_count: 900,
  excluded_count: 100,
  claimed_count: 900,
  recovered_count: 200,
  duplicate_claim_count: 0,
  cleanup_verified: true,
  completed_at: '2026-09-14T09:00:02Z',
}
const known = capacityReportOf(run)!

test('stages are in the order of a run, with shares of the time for one recipient', () => {
  expect(capacityStagesOf(known).map(({ name, share }) => [name, share])).toEqual([
    ['contacts', null],
    ['eligibility', expect.closeTo(0.75)],
    ['claim', expect.closeTo(0.25)],
    ['recovery', null],
  ])
})

test('a report without a prediction is not a picture', () => {
  for (const without of [{}, { failure: { reason: 'worker_lost', message: 'The worker ended.' } }])
    expect(capacityReportOf({ report: without })).toBeUndefined()
})

test('seconds are said with as much detail as they have', () => {
  expect([0.61, 1, 1.04, 3.14, 75, 5_400].map(secondsInWords)).toEqual([
    '0.61 seconds',
    '1 second',
    '1 second',
    '3.1 seconds',
    '1 minute 15 seconds',
    '1 hour 30 minutes',
  ])
})

test('the basis says how many runs it is made from, and that it is rough for few recipients', () => {
  expect(basisInWords(known)).toMatch(/^A rough estimate .* rough below about 2,000 recipients\.$/)
  const many = { ...known, recipients: { ...known.recipients, eligible: 9_000 } }
  expect(basisInWords({ ...many, prediction: { ...known.prediction, basis: 'recent_runs', runs: 3 } })).toBe(
    'Estimated from 3 of the last runs of this workspace, of about this size.',
  )
})

test.each([
  [{}, []],
  [{ claimed_count: 899 }, ['Every eligible recipient was sent to once', 'Nothing was lost when workers crashed']],
  [{ duplicate_claim_count: 1 }, ['Every eligible recipient was sent to once']],
  [{ provider_call_count: 1 }, ['The mail provider was not called']],
  [{ cleanup_verified: false }, ['Everything was rolled back']],
  [{ report: { ...report, remaining_rows: 1 } }, ['Everything was rolled back']],
])('with %j the checks that fail are %j', (changed, failing) => {
  const other = { ...run, ...changed }
  const checks = capacityChecksOf(other, capacityReportOf(other)!)
  expect(checks.filter(({ holds }) => !holds).map(({ title }) => title)).toEqual(failing)
})
