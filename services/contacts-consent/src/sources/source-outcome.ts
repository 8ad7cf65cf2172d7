export const reasonClasses = [
  'review_legacy_contact',
  'review_consent_conflict',
  'suppressed_platform',
  'suppressed_workspace',
  'suppressed_audience',
] as const
export type ReasonClass = (typeof reasonClasses)[number]
export type ReceiptStatus = 'accepted' | 'review_required' | 'suppressed'

/** What is known of a contact and one audience when a claim of consent comes in. */
export interface ClaimStanding {
  is_platform_suppressed: boolean
  is_workspace_suppressed: boolean
  is_audience_suppressed: boolean
  /** a legacy contact without documented consent */
  is_unverified_legacy: boolean
  /** the person withdrew after the moment that the claim names */
  is_overtaken: boolean
}

export interface Outcome {
  status: ReceiptStatus
  reasonClass: ReasonClass | null
}

/** What becomes of a claim: a standing suppression wins over every question, and a question over acceptance. */
export function outcomeOf(standing: ClaimStanding): Outcome {
  if (standing.is_platform_suppressed) return { status: 'suppressed', reasonClass: 'suppressed_platform' }
  if (standing.is_workspace_suppressed) return { status: 'suppressed', reasonClass: 'suppressed_workspace' }
  if (standing.is_audience_suppressed) return { status: 'suppressed', reasonClass: 'suppressed_audience' }
  if (standing.is_unverified_legacy) return { status: 'review_required', reasonClass: 'review_legacy_contact' }
  if (standing.is_overtaken) return { status: 'review_required', reasonClass: 'review_consent_conflict' }
  return { status: 'accepted', reasonClass: null }
}
