export const reasonClasses = [
  'review_legacy_contact',
  'review_consent_conflict',
  'confirmation_pending',
  'suppressed_platform',
  'suppressed_workspace',
  'suppressed_audience',
] as const
export type ReasonClass = (typeof reasonClasses)[number]
export type ReceiptStatus = 'accepted' | 'review_required' | 'suppressed'

/** The state of a contact and one audience when a claim of consent arrives. */
export interface ClaimState {
  is_platform_suppressed: boolean
  is_workspace_suppressed: boolean
  is_audience_suppressed: boolean
  /** a legacy contact without documented consent */
  is_unverified_legacy: boolean
  /** the person withdrew after the moment that the claim names */
  is_overtaken: boolean
  /** the source asks for confirmation, and the person is not a member */
  needs_confirmation: boolean
}

export interface ClaimOutcome {
  status: ReceiptStatus
  reasonClass: ReasonClass | null
}

/**
 * The outcome of a claim: an unresolved suppression takes precedence over a review, and a review over acceptance. Only a claim
 * that would be accepted waits for a confirmation.
 */
export function outcomeOf(state: ClaimState): ClaimOutcome {
  if (state.is_platform_suppressed) return { status: 'suppressed', reasonClass: 'suppressed_platform' }
  if (state.is_workspace_suppressed) return { status: 'suppressed', reasonClass: 'suppressed_workspace' }
  if (state.is_audience_suppressed) return { status: 'suppressed', reasonClass: 'suppressed_audience' }
  if (state.is_unverified_legacy) return { status: 'review_required', reasonClass: 'review_legacy_contact' }
  if (state.is_overtaken) return { status: 'review_required', reasonClass: 'review_consent_conflict' }
  if (state.needs_confirmation) return { status: 'review_required', reasonClass: 'confirmation_pending' }
  return { status: 'accepted', reasonClass: null }
}
