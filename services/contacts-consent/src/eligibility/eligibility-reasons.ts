/** The reasons against mailing a contact, in the order of every answer. An eligible contact has none. */
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
  'confirmation_pending',
  'legacy_consent_unverified',
  'not_subscribed',
  'minimum_interval_not_elapsed',
] as const
export type EligibilityReason = (typeof eligibilityReasons)[number]
