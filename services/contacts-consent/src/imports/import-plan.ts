import type { ImportApproval, ImportPlan as GivenPlan } from '@lettergate/contracts/contacts/v1/imports'
import { Fault } from '@lettergate/fault'
import { optionalText, requiredText } from '@lettergate/values/text'
import { parseTags } from '../tags/tag-names.ts'
import { bodyId } from '../values/ids.ts'

const consentPolicies = ['review_required', 'explicit_opt_in', 'status_column'] as const
export type RowConsentPolicy = (typeof consentPolicies)[number]

/** What all rows of an import have in common. */
export interface RowPlan {
  readonly importId: string
  readonly audienceId: string
  readonly consentPolicy: RowConsentPolicy
  readonly consentBasis: string | null
  readonly consentSource: string | null
  readonly wordingVersion: string | null
  readonly evidenceReference: string | null
  readonly staticTags: readonly string[]
}

const missing = (field: string) => new Fault('invalid_argument', field, `${field} is required.`)

function policyOf(given: string): RowConsentPolicy {
  const found = consentPolicies.find((one) => one === given)
  if (found) return found
  throw new Fault('invalid_argument', 'consent_policy', `consent_policy must be one of ${consentPolicies.join(', ')}.`)
}

/** Parses the plan. Throws Fault `invalid_argument` with the field. */
export function parsePlan(given: GivenPlan | undefined): RowPlan {
  if (!given) throw missing('plan')
  const consentPolicy = policyOf(given.consentPolicy)
  const plan = {
    importId: bodyId('import_id', given.importId),
    audienceId: bodyId('audience_id', given.audienceId),
    consentPolicy,
    consentBasis: optionalText('consent_basis', given.consentBasis),
    consentSource: optionalText('consent_source', given.consentSource),
    wordingVersion: optionalText('wording_version', given.wordingVersion),
    evidenceReference: optionalText('evidence_reference', given.evidenceReference),
    staticTags: parseTags(given.staticTags),
  }
  if (consentPolicy !== 'explicit_opt_in') return plan
  requiredText('consent_basis', plan.consentBasis ?? '')
  requiredText('consent_source', plan.consentSource ?? '')
  requiredText('wording_version', plan.wordingVersion ?? '')
  requiredText('evidence_reference', plan.evidenceReference ?? '')
  return plan
}

/** Where the rows of an import came from and who approved them. */
export interface Approval {
  readonly sourceLabel: string
  readonly fileSha256: string
  readonly mappingChecksum: string
  readonly reportChecksum: string
  readonly approvedBy: string
  readonly applyNumber: number
  readonly epoch: number
}

function checksum(field: string, given: string): string {
  if (/^[0-9a-f]{64}$/.test(given)) return given
  throw new Fault('invalid_argument', field, `${field} must be 64 lowercase hexadecimal characters.`)
}

export const applyNumberMax = 32_767

/** Which apply of its import a call belongs to. Throws Fault `invalid_argument`. */
export function parseApplyNumber(given: number): number {
  if (given <= applyNumberMax) return given
  throw new Fault('invalid_argument', 'apply_number', `apply_number must be at most ${applyNumberMax}.`)
}

/** More than any import reaches, and the largest integer of PostgreSQL. */
export const epochMax = 2_147_483_647

/** The epoch of an import that a call names. Throws Fault `invalid_argument`. */
export function parseEpoch(given: number): number {
  if (given <= epochMax) return given
  throw new Fault('invalid_argument', 'epoch', `epoch must be at most ${epochMax}.`)
}

/** Parses the approval. Throws Fault `invalid_argument` with the field. */
export function parseApproval(given: ImportApproval | undefined): Approval {
  if (!given) throw missing('approval')
  return {
    sourceLabel: requiredText('source_label', given.sourceLabel),
    fileSha256: checksum('file_sha256', given.fileSha256),
    mappingChecksum: checksum('mapping_checksum', given.mappingChecksum),
    reportChecksum: checksum('report_checksum', given.reportChecksum),
    approvedBy: requiredText('approved_by', given.approvedBy),
    applyNumber: parseApplyNumber(given.applyNumber),
    epoch: parseEpoch(given.epoch),
  }
}
