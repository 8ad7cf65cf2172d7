import { inWords } from './words.ts'

interface Explanation {
  /** its name, where the words of the API do not read as a sentence part */
  name?: string
  /** what it means for the contact */
  means: string
  /** what would change it */
  remedy: string
}

const explanations: Record<string, Explanation> = {
  workspace_archived: {
    means: 'This workspace is archived.',
    remedy: 'Nothing is sent from an archived workspace. Use another one.',
  },
  audience_archived: {
    means: 'The audience is archived.',
    remedy: 'Nothing is sent to an archived audience. Subscribe the contact to another one.',
  },
  contact_missing: {
    name: 'The contact does not exist',
    means: 'The contact does not exist any more.',
    remedy: 'It was deleted or erased. A new sign-up makes a new contact.',
  },
  suppressed_platform: {
    name: 'Suppressed for the platform',
    means: 'The address is suppressed for every organization of the platform.',
    remedy: 'Only an administrator of the platform can resolve this, with a reason.',
  },
  suppressed_workspace: {
    name: 'Suppressed for this workspace',
    means: 'The contact is suppressed for this workspace.',
    remedy: 'Resolve the suppression, if you know that the contact wants email again.',
  },
  suppressed_audience: {
    name: 'Suppressed for the audience',
    means: 'The contact is suppressed for this audience.',
    remedy: 'Resolve the suppression, if you know that the contact wants email again.',
  },
  consent_missing: {
    name: 'No consent',
    means: 'The contact never gave consent for this audience.',
    remedy:
      'Ask for consent, for example with a sign-up form. Then the contact is subscribed with the wording of the form.',
  },
  consent_withdrawn: {
    means: 'The contact unsubscribed from this audience.',
    remedy: 'Only a new consent that the contact gives later changes this.',
  },
  consent_under_review: {
    means: 'A sign-up claims consent, but earlier data speaks against it. A person has to decide.',
    remedy: 'Subscribe the contact if the claim is right.',
  },
  confirmation_pending: {
    means: 'The contact signed up and has not confirmed it yet.',
    remedy: 'Only the contact can confirm, with the button that the confirmation email links to.',
  },
  legacy_consent_unverified: {
    name: 'Consent of an older system, not verified',
    means: 'The contact comes from an older system, without a documented consent.',
    remedy: 'Add the evidence: when, where, and with which wording. Or ask for a new consent.',
  },
  not_subscribed: {
    means: 'The contact is not a member of this audience.',
    remedy: 'Subscribe the contact, with the consent that you have.',
  },
  minimum_interval_not_elapsed: {
    means: 'The contact got an email of this audience a short while ago.',
    remedy: 'Wait. The minimum interval of the audience says how long.',
  },
  message_too_large: {
    means: 'The values of this contact make the email too large.',
    remedy: 'Shorten the fields of the contact, or use fewer tokens in the content.',
  },
  run_cancelled: { means: 'A person cancelled the run before this email.', remedy: 'Schedule the campaign again.' },
  run_unscheduled: { means: 'A person took the run back before it began.', remedy: 'Schedule the campaign again.' },
  contact_erased: { means: 'The person was erased.', remedy: 'Nothing can be sent to an erased person.' },
  contact_deleted: { means: 'The contact was deleted.', remedy: 'A new sign-up makes a new contact.' },
  production_sending_enabled: {
    means: 'The platform gate for production sending is closed.',
    remedy: 'A platform owner or administrator opens it. Then the step is tried again by itself.',
  },
  automation_enabled: {
    means: 'The platform gate for automations is closed.',
    remedy: 'A platform owner or administrator opens it. Then the step is tried again by itself.',
  },
  workspace_sending: {
    means: 'Sending is off in this workspace.',
    remedy: 'An owner of the workspace activates it. Then the step is tried again by itself.',
  },
  sender_identity: {
    means: 'The sender is not enabled, or its domain is not ready.',
    remedy: 'See what is missing on the page Sending. Then the step is tried again by itself.',
  },
  under_way: { means: 'The call to the mail provider is not finished.', remedy: 'Wait for a minute.' },
  contacts_unavailable: {
    means: 'The service of the contacts does not answer.',
    remedy: 'The step is tried again by itself.',
  },
  delivery_unavailable: {
    means: 'The service of the delivery does not answer.',
    remedy: 'The step is tried again by itself.',
  },
  hard_bounce: {
    means: 'The mailbox does not exist or refuses email.',
    remedy: 'Ask the contact for another address.',
  },
  complaint: {
    means: 'The recipient marked an email as spam.',
    remedy: 'Send nothing more, unless the contact asks for it.',
  },
  unsubscribe: { means: 'The recipient left by a link.', remedy: 'Only the contact can come back.' },
}

/** What a reason means and what would change it. A reason without an entry is only put in words. */
export const explained = (reason: string): Explanation =>
  explanations[reason] ?? { means: `${inWords(reason)}.`, remedy: '' }

/** The short name of a reason. */
export const reasonInWords = (reason: string): string => explanations[reason]?.name ?? inWords(reason)
