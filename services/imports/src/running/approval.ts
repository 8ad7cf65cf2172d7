import { sha256Of } from '@lettergate/canonical-json'
import { Fault } from '@lettergate/fault'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import { readerVersion } from './reader-version.ts'

/** The text that a person must type to approve an import. */
export const confirmationOf = (
  jobId: string,
  { organization, workspace }: Record<'organization' | 'workspace', string | null>,
) => `APPLY CSV IMPORT ${jobId} TO ${organization}/${workspace}`

type Approved = Pick<
  ImportJobRow,
  | 'file_sha256'
  | 'audience_id'
  | 'mapping'
  | 'consent_policy'
  | 'policy'
  | 'report'
  | 'report_checksum'
  | 'approval_checksum'
  | 'reader_version'
>

/** Covers everything that decides what an apply does. */
export const approvalChecksumOf = (job: Omit<Approved, 'report' | 'approval_checksum' | 'reader_version'>): string =>
  sha256Of({
    file_sha256: job.file_sha256,
    audience_id: job.audience_id,
    mapping: job.mapping,
    consent_policy: job.consent_policy,
    policy: job.policy,
    report_checksum: job.report_checksum,
  })

/** Whether the report is the one that the dry run stored. */
export const isReportIntact = ({ report, report_checksum: checksum }: Pick<Approved, 'report' | 'report_checksum'>) =>
  checksum !== null && sha256Of(report) === checksum

/** Whether the import is still exactly what was approved, and its file is read as it was for the report. */
export const isApproved = (job: Approved): boolean =>
  job.approval_checksum !== null &&
  isReportIntact(job) &&
  approvalChecksumOf(job) === job.approval_checksum &&
  job.reader_version === readerVersion

/** Throws unless the import is still exactly what was approved. */
export function requireApproved(job: Approved): void {
  if (!isApproved(job)) throw approvalInvalid()
}

export const approvalInvalid = (): Fault =>
  new Fault(
    'failed_precondition',
    'approval_invalid',
    'The file, its mapping or its report is not what was approved, or a new release reads the file differently. Retry the import: it begins again with a dry run.',
  )
