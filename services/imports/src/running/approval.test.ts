import { expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { approvalChecksumOf, confirmationOf, isApproved, requireApproved } from './approval.ts'
import { readerVersion } from './reader-version.ts'

const report = { rows_total: 3, invalid_reasons: {} }
const approved = () => {
  const job = {
    file_sha256: 'a'.repeat(64),
    audience_id: '0190a3a0-0000-7000-8000-000000000001',
    mapping: { Email: 'email', Status: 'status' },
    consent_policy: 'status_column' as const,
    policy: { status_values: { yes: 'subscribed' } },
    report,
    report_checksum: sha256Of(report),
  }
  return { ...job, approval_checksum: approvalChecksumOf(job), reader_version: readerVersion }
}

test('the confirmation names the import and the workspace', () =>
  expect(confirmationOf('some-id', { organization: 'acme', workspace: 'news' })).toBe(
    'APPLY CSV IMPORT some-id TO acme/news',
  ))

test('an import is approved as long as nothing of it changes; the order of keys does not count', () => {
  expect(isApproved(approved())).toBe(true)
  expect(isApproved({ ...approved(), mapping: { Status: 'status', Email: 'email' } })).toBe(true)
  expect(() => requireApproved(approved())).not.toThrow()
})

test.each([
  ['the file', { file_sha256: 'b'.repeat(64) }],
  ['the audience', { audience_id: '0190a3a0-0000-7000-8000-000000000002' }],
  ['the mapping', { mapping: { Email: 'email', Status: 'ignore' } }],
  ['the consent policy', { consent_policy: 'explicit_opt_in' as const }],
  ['the policy', { policy: { status_values: { yes: 'subscribed', no: 'subscribed' } } }],
  ['the report', { report: { ...report, rows_total: 4 } }],
  ['report and checksum', { report: {}, report_checksum: sha256Of({}) }],
  ['the report is missing', { report_checksum: null }],
  ['the approval is missing', { approval_checksum: null }],
  ['the reader of files', { reader_version: readerVersion + 1 }],
])('an approval is void when %s changes', (_, change) => {
  expect(isApproved({ ...approved(), ...change })).toBe(false)
  expect(() => requireApproved({ ...approved(), ...change })).toThrow(
    expect.objectContaining({ reason: 'approval_invalid' }),
  )
})
