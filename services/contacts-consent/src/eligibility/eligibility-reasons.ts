/** Why a person may not be mailed, in the order in which reasons are always told. Eligible means none. */
export const eligibilityReasons = [
  'workspace_archived',
  'audience_archived',
  'contact_missing',
  'suppressed_platform',
  'suppressed_workspace',
  'suppressed_audience',
  'consent_missing',
  'consent_withdrawn',
  'consent_under_review',
  'legacy_consent_unverified',
  'not_subscribed',
  'minimum_interval_not_elapsed',
] as const
export type EligibilityReason = (typeof eligibilityReasons)[number]
