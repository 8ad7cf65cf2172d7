import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { importStatuses, isEnded, statusAfter, statusesFor, type ImportAction } from './import-status.ts'

const actions: ImportAction[] = [
  'map',
  'approve',
  'cancel',
  'retry_dry_run',
  'retry_apply',
  'expire',
  'take',
  'report',
  'complete',
  'fail',
]

test.each([
  ['map', ['uploaded', 'dry_run_queued', 'dry_run_running', 'ready_for_review', 'failed']],
  ['approve', ['ready_for_review']],
  ['retry_apply', ['failed']],
  ['complete', ['applying']],
] as const)('%s is possible in %j only', (action, statuses) =>
  expect(statusesFor(action).toSorted()).toEqual([...statuses].toSorted()),
)

test('every import that has not ended can be cancelled and expires', () => {
  for (const status of importStatuses) {
    expect(statusAfter(status, 'cancel')).toBe(isEnded(status) ? undefined : 'cancelled')
    expect(statusAfter(status, 'expire')).toBe(isEnded(status) ? undefined : 'expired')
  }
})

test('whatever happens, nothing is applied without an approval of the latest report, and an ended import stays as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...actions), { maxLength: 60 }), (tried) => {
      let status = importStatuses[0] as (typeof importStatuses)[number]
      let isReported = false
      let isApproved = false
      for (const action of tried) {
        // A retry applies only with the approval, and a failed import is mapped only without one.
        if (action === 'retry_apply' && !isApproved) continue
        if (action === 'map' && status === 'failed' && isApproved) continue
        const after = statusAfter(status, action)
        if (after === undefined) continue
        expect(isEnded(status)).toBe(false)
        if (action === 'map' || action === 'retry_dry_run') isReported = isApproved = false
        if (action === 'report') isReported = true
        if (action === 'approve') {
          expect(isReported).toBe(true)
          isApproved = true
        }
        if (after === 'applying' || after === 'completed' || after === 'apply_queued') expect(isApproved).toBe(true)
        status = after
      }
    }),
    { numRuns: 2_000 },
  )
})
