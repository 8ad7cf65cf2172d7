import type { EligibilityReason } from '@lettergate/client'

/** Each reason against eligibility, and what would change it. */
const words: Record<EligibilityReason, string> = {
  workspace_archived: 'The workspace is archived. Nobody in it receives email.',
  audience_archived: 'The audience is archived. Use another one.',
  contact_missing: 'The contact does not exist any more.',
  suppressed_platform:
    'The address is suppressed on the whole platform, after a complaint, a bounce or by law. Only a platform operator can resolve it.',
  suppressed_workspace: 'The contact is suppressed in this workspace. Resolve the suppression first, with a reason.',
  suppressed_audience:
    'The contact is suppressed for this audience, as after an unsubscribe. Resolve the suppression before a new subscription.',
  consent_missing: 'There is no consent for this audience. Subscribe the contact with the evidence of a consent.',
  consent_withdrawn: 'The contact withdrew its consent. Only a new consent changes that.',
  consent_under_review: 'A consent was recorded, but a person must review it first.',
  confirmation_pending: 'The sign-up waits until the person confirms it by the link in the email.',
  legacy_consent_unverified:
    'The contact came from another system without documented consent. Add the evidence, or ask for a new consent.',
  not_subscribed: 'The contact is no active member of the audience.',
  minimum_interval_not_elapsed:
    'The contact got an email of this audience too recently. It becomes eligible when the interval has passed.',
}

/** A reason in words; a reason that this version does not know is shown as it is. */
export const inWords = (reason: string): string => (words as Record<string, string>)[reason] ?? reason
