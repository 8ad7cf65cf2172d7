import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ImportApprovalSchema, ImportPlanSchema } from '@lettergate/contracts/contacts/v1/imports'
import type { ImportJobRow } from '../jobs/import-job.entity.ts'
import { mappingChecksum } from '../mapping/mapping-profile.entity.ts'
import type { ImportPolicy } from '../mapping/import-policy.ts'

const given = <K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> =>
  value === undefined ? {} : ({ [key]: value } as Record<K, string>)

/** What all rows of the import have in common, from its mapping. */
export function planOf(job: ImportJobRow): MessageInitShape<typeof ImportPlanSchema> {
  // MapImport stores only what it has parsed.
  const policy = job.policy as ImportPolicy
  return {
    importId: job.id,
    audienceId: job.audience_id,
    consentPolicy: job.consent_policy ?? '',
    staticTags: policy.static_tags ?? [],
    ...given('consentBasis', policy.consent_basis),
    ...given('consentSource', policy.consent_source),
    ...given('wordingVersion', policy.wording_version),
    ...given('evidenceReference', policy.evidence_reference),
  }
}

/** Where the rows come from and who approved them. */
export const approvalOf = (job: ImportJobRow): MessageInitShape<typeof ImportApprovalSchema> => ({
  sourceLabel: job.source_label,
  fileSha256: job.file_sha256,
  mappingChecksum: mappingChecksum(job.mapping, job.policy),
  reportChecksum: job.report_checksum ?? '',
  approvedBy: job.approved_by_wallet_id ?? '',
  applyNumber: job.apply_number,
  epoch: job.epoch,
})
