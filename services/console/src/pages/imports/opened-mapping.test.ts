import { describe, expect, test } from '@jest/globals'
import type { Import } from '@lettergate/client'
import { isMappedMeanwhile, staysOpen } from './opened-mapping.ts'

const job = (status: Import['status'], mapping: Record<string, string> = {}, policy: Record<string, unknown> = {}) =>
  ({ status, mapping, policy, consent_policy: null, approval_checksum: null }) as unknown as Import
const [one, other] = [{ Mail: 'email' }, { Mail: 'email', Name: 'company' }]

describe('an open mapping form', () => {
  test.each([
    ['stays while nothing happens', job('uploaded'), job('uploaded'), true],
    ['stays when another user maps a new import', job('uploaded'), job('dry_run_running', one), true],
    ['stays when another user maps it again', job('ready_for_review', one), job('dry_run_queued', other), true],
    [
      'stays when another user repeats the same mapping',
      job('ready_for_review', one),
      job('dry_run_queued', one),
      true,
    ],
    ['goes when the dry run of a failed import is retried', job('failed', one), job('dry_run_queued', one), false],
    ['goes when the import is approved', job('ready_for_review', one), job('apply_queued', one), false],
    ['goes when the import is cancelled', job('uploaded'), job('cancelled'), false],
    ['goes when the import expires', job('ready_for_review', one), job('expired', one), false],
  ])('%s', (_, opened, now, stays) => {
    expect(staysOpen(opened, now)).toBe(stays)
  })

  test('knows of another mapping, and of the same columns with another policy', () => {
    expect(isMappedMeanwhile(job('uploaded'), job('dry_run_queued', one))).toBe(true)
    expect(isMappedMeanwhile(job('uploaded', one, { a: 1 }), job('uploaded', one, { a: 2 }))).toBe(true)
    expect(isMappedMeanwhile(job('uploaded', one), job('ready_for_review', one))).toBe(false)
  })
})
