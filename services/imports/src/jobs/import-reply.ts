import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import type { ImportSchema } from '@lettergate/contracts/imports/v1/imports'
import { moment } from '@lettergate/values/moment'
import type { ImportJobRow } from './import-job.entity.ts'

/** The import as every operation answers it. While a worker runs, the report is only its progress. */
export const importReply = (job: ImportJobRow): MessageInitShape<typeof ImportSchema> => ({
  id: job.id,
  status: job.status,
  filename: job.filename,
  sourceLabel: job.source_label,
  audienceId: job.audience_id,
  fileSha256: job.file_sha256,
  payloadSize: BigInt(job.payload_size),
  payloadRetained: job.sealed_key !== null,
  headers: job.headers,
  mapping: job.mapping,
  ...(job.consent_policy === null ? {} : { consentPolicy: job.consent_policy }),
  policy: job.policy as JsonObject,
  report: (job.progress === null ? job.report : { progress: { ...job.progress } }) as JsonObject,
  ...(job.report_checksum === null ? {} : { reportChecksum: job.report_checksum }),
  ...(job.approval_checksum === null ? {} : { approvalChecksum: job.approval_checksum }),
  requestedByWalletId: job.requested_by_wallet_id,
  ...(job.approved_by_wallet_id === null ? {} : { approvedByWalletId: job.approved_by_wallet_id }),
  attemptCount: job.attempt_count,
  createdAt: moment(job.created_at),
  expiresAt: moment(job.expires_at),
  ...(job.completed_at === null ? {} : { completedAt: moment(job.completed_at) }),
  ...(job.error === null ? {} : { error: { ...job.error } }),
})
