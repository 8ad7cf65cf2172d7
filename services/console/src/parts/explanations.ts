import type { EligibilityReason, SuppressionReason } from '@lettergate/client'
import type { SourceReceipt } from '@lettergate/client/console'
import { inWords } from './words.ts'

/** Every reason that the API names. The table does not compile without one of them. */
type NamedReason = EligibilityReason | SuppressionReason | NonNullable<SourceReceipt['reason_class']>

interface Explanation {
  /** its name, where the words of the API do not read as a sentence part */
  name?: string
  /** what it means for the contact */
  means: string
  /** what would change it */
  remedy: string
}

const named: Record<NamedReason, Explanation> = {
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
  hard_bounce: {
    means: 'The mailbox does not exist or refuses email.',
    remedy: 'Ask the contact for another address.',
  },
  complaint: {
    means: 'The recipient marked an email as spam.',
    remedy: 'Send nothing more, unless the contact asks for it.',
  },
  unsubscribe: { means: 'The recipient left by a link.', remedy: 'Only the contact can come back.' },
  manual: {
    means: 'A user or another program suppressed the contact.',
    remedy: 'The evidence says why. Resolve it if the reason is gone.',
  },
  import: {
    means: 'An import listed the contact as suppressed.',
    remedy: 'Resolve it only if the contact wants email again.',
  },
  legal: {
    means: 'The contact must not get email for a legal reason.',
    remedy: 'Resolve it only if the law allows it.',
  },
  other: {
    means: 'Somebody suppressed the contact for another reason.',
    remedy: 'The evidence says why. Resolve it if the reason is gone.',
  },
  review_legacy_contact: {
    means: 'The contact comes from an older system, without a documented consent. A person has to decide.',
    remedy: 'Subscribe the contact if the sign-up is genuine.',
  },
  review_consent_conflict: {
    means: 'The contact left or was suppressed before this sign-up. A person has to decide.',
    remedy: 'Subscribe the contact if the sign-up is genuine.',
  },
}

const triedAgain = 'The step is tried again by itself.'
const thenTriedAgain = 'Then the step is tried again by itself.'

/** Reasons of messages and of steps of automations. `test/guard/explanations.test.ts` finds them in the services. */
const others: Record<string, Explanation> = {
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
    remedy: `A platform owner or administrator opens it. ${thenTriedAgain}`,
  },
  automation_enabled: {
    means: 'The platform gate for automations is closed.',
    remedy: `A platform owner or administrator opens it. ${thenTriedAgain}`,
  },
  workspace_sending: {
    means: 'Sending is off in this workspace.',
    remedy: `An owner of the workspace activates it. ${thenTriedAgain}`,
  },
  sender_identity: {
    means: 'The sender is not enabled.',
    remedy: `See what is missing on the page Sending. ${thenTriedAgain}`,
  },
  under_way: { means: 'The call to the mail provider is not finished.', remedy: 'Wait for a minute.' },
  contacts_unavailable: {
    means: 'The service of the contacts does not answer.',
    remedy: triedAgain,
  },
  delivery_unavailable: {
    means: 'The service of the delivery does not answer.',
    remedy: triedAgain,
  },
  content_missing: { means: 'The content version does not exist any more.', remedy: 'Choose another content version.' },
  content_empty: { means: 'The content version is not valid.', remedy: 'Choose a content version that is valid.' },
  content_for_confirmations: {
    means: 'The content version is only for confirmation emails.',
    remedy: 'Choose another content version.',
  },
  sender_missing: { means: 'The sender was deleted.', remedy: 'Choose another sender.' },
  run_failed: { means: 'The run failed before this email.', remedy: 'The run says why.' },
  run_completed: {
    means: 'The run was over before this email could be sent again.',
    remedy: 'Schedule the campaign again for those who got nothing.',
  },
  not_sent: { means: 'The mail provider could not be reached.', remedy: 'Look at the status page of the provider.' },
  no_answer: {
    means: 'The mail provider gave no answer.',
    remedy: 'The mail provider may have it. It is never sent again by itself.',
  },
  unreadable_answer: {
    means: 'The answer of the mail provider could not be read.',
    remedy: 'The mail provider may have it. It is never sent again by itself.',
  },
  worker_lost: {
    means: 'The process that handed the email over ended before the answer.',
    remedy: 'The mail provider may have it. It is never sent again by itself.',
  },
  refused: { means: 'The mail provider refused the email.', remedy: 'Look at the status page of the provider.' },
  too_late: { means: 'The call to the mail provider could not begin in time.', remedy: 'Send it again.' },
  gates_changed: { means: 'A gate, the workspace or the sender changed before the call.', remedy: 'Send it again.' },
  intent_uncertain: { means: 'The database did not confirm the email before the call.', remedy: 'Send it again.' },
  sending_domain: {
    means: 'The sending domain is not ready, or its check is too old.',
    remedy: `See what is missing on the page Sending. ${thenTriedAgain}`,
  },
  provider_connection: {
    means: 'The connection to the mail provider is not active or not verified.',
    remedy: `See what is missing on the page Sending. ${thenTriedAgain}`,
  },
  worker_full: { means: 'Many emails are being sent at this moment.', remedy: 'Wait for a moment.' },
  connection_full: {
    means: 'Many emails of this connection are being sent at this moment.',
    remedy: 'Wait for a moment.',
  },
  paced: {
    means: 'The emails are spread over time, so that the mail provider accepts them.',
    remedy: 'Wait for a moment.',
  },
  cooldown: {
    means: 'The mail provider asked for a pause, or could not be reached.',
    remedy: 'The step is tried again by itself after the pause.',
  },
  verdicts_late: { means: 'The service of the contacts answers slowly.', remedy: triedAgain },
  deadline: {
    means: 'The service of the delivery was not done in time.',
    remedy: triedAgain,
  },
  put_back: { means: 'The mail provider did not accept the email yet.', remedy: triedAgain },
  unavailable: { means: 'A service that sending needs does not answer.', remedy: triedAgain },
  date_missing: {
    means: 'The contact has no date in the field that the step waits for.',
    remedy: 'Add the date to the contact.',
  },
  tag_missing: { means: 'The tag does not exist any more.', remedy: 'Choose another tag in a new version.' },
  too_many_tags: { means: 'The contact has as many tags as it can have.', remedy: 'Remove tags of the contact.' },
  audience_missing: {
    means: 'The audience does not exist any more.',
    remedy: 'Choose another audience in a new version.',
  },
  field_missing: { means: 'The field does not exist any more.', remedy: 'Choose another field in a new version.' },
  field_invalid: {
    means: 'The field cannot have the value of the step.',
    remedy: 'Change the value in a new version.',
  },
  custom_fields_too_long: {
    means: 'The custom fields of the contact have no room for the value.',
    remedy: 'Shorten the other fields of the contact.',
  },
  score_out_of_range: {
    means: 'The score of the contact would be too large or too small.',
    remedy: 'Change the step in a new version.',
  },
  too_many_steps: {
    means: 'The enrollment took as many steps as one can take.',
    remedy: 'Look for a loop in the graph.',
  },
  virtual_time_over: { means: 'The virtual clock reached its end.', remedy: 'Rehearse again with a later end.' },
  failed: { means: 'A step failed.', remedy: 'The timeline says which one.' },
}

const explanationOf = (reason: string): Explanation | undefined => {
  const [, status] = /^status_(\d+)$/.exec(reason) ?? []
  if (status === undefined) return (named as Record<string, Explanation>)[reason] ?? others[reason]
  return {
    means: `The mail provider answered with the status ${status}.`,
    remedy: 'See what the provider says about it.',
  }
}

/** What a reason means and what would change it. A reason without an entry is only put in words. */
export const explained = (reason: string): Explanation =>
  explanationOf(reason) ?? { means: `${inWords(reason)}.`, remedy: '' }

/** The short name of a reason. */
export const reasonInWords = (reason: string): string => explanationOf(reason)?.name ?? inWords(reason)
