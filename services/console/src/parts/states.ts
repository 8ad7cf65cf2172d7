import type {
  AutomationListItem,
  Campaign,
  CampaignRun,
  EnrollmentListItem,
  Import,
  Preflight,
  SyntheticRehearsal,
} from '@lettergate/client'
import type {
  Alert,
  CampaignRunRecipient,
  CampaignWebhookDelivery,
  ConsentEvent,
  DeadLetter,
  ListedProviderConnection,
  ListedRehearsal,
  ListedSenderIdentity,
  ListedSendingDomain,
  ListedTestSend,
  Source,
  SourceReceipt,
} from '@lettergate/client/console'

/** Every state that the API names. The table does not compile without one of them. */
type NamedState =
  | AutomationListItem['status']
  | Campaign['status']
  | CampaignRun['state']
  | EnrollmentListItem['state']
  | Import['status']
  | Preflight['status']
  | SyntheticRehearsal['state']
  | Alert['severity']
  | CampaignRunRecipient['state']
  | CampaignWebhookDelivery['state']
  | ConsentEvent['kind']
  | DeadLetter['state']
  | ListedProviderConnection['connection_state']
  | ListedRehearsal['state']
  | ListedSenderIdentity['verification_state']
  | ListedSendingDomain['verification_state' | 'alignment_state' | 'quota_state']
  | ListedTestSend['state' | 'hand_off_state']
  | Source['status']
  | SourceReceipt['status']

interface State {
  /** what the state means, in a sentence */
  means: string
  /** of the theme; it only repeats what the word says */
  color: 'green' | 'indigo' | 'yellow' | 'red' | 'gray'
}

const of = (color: State['color'], means: string): State => ({ color, means })

const named: Record<NamedState, State> = {
  accepted: of('green', 'It was taken: by the mail provider for an email, by this service for a sign-up.'),
  active: of('green', 'It is in use.'),
  aligned: of('green', 'The domain of the sender is the domain that signs the email.'),
  apply_queued: of('indigo', 'It was approved and waits for its turn.'),
  applying: of('indigo', 'The rows are being stored.'),
  approved: of('green', 'The quota of the provider is large enough.'),
  archived: of('gray', 'It is kept, and nothing new can use it. It can be restored.'),
  blocked: of('red', 'A check forbids to send.'),
  cancelled: of('gray', 'A person ended it. What was done before stays.'),
  claimed: of('indigo', 'A worker is handing it to the mail provider.'),
  completed: of('green', 'Everything is done.'),
  critical: of('red', 'Somebody has to act now.'),
  dead: of('red', 'It failed too often, and is not tried again by itself.'),
  delivered: of('green', 'The server of the recipient took it.'),
  discarded: of('gray', 'A person decided that it is not done again.'),
  draft: of('gray', 'It sends nothing until it is scheduled or published.'),
  dry_run_queued: of('indigo', 'The check of its rows waits for its turn.'),
  dry_run_running: of('indigo', 'Its rows are being checked. Nothing is stored.'),
  expired: of('gray', 'It was not approved in time, and its file is destroyed.'),
  failed: of('red', 'It did not work, and is not tried again by itself.'),
  granted: of('green', 'The contact agreed.'),
  hard_bounced: of('red', 'The mailbox does not exist or refuses email.'),
  insufficient: of('red', 'The quota of the provider is too small.'),
  misaligned: of('red', 'The domain of the sender is not the domain that signs the email.'),
  not_checked: of('gray', 'Nobody checked it yet.'),
  passed: of('green', 'Every check allows it.'),
  paused: of('yellow', 'It waits until a person resumes it.'),
  pending: of('yellow', 'It waits for its turn or for an answer.'),
  published: of('green', 'It enrolls people.'),
  queued: of('indigo', 'It waits for its turn.'),
  ready_for_review: of('indigo', 'A person has to look at it.'),
  replayed: of('green', 'It was done again, with success.'),
  replaying: of('indigo', 'It is being done again.'),
  resolved: of('green', 'A person ended the suppression, with a reason.'),
  review_required: of('yellow', 'A sign-up contradicts earlier data. A person has to decide.'),
  revoked: of('red', 'Every sign-up is refused.'),
  running: of('indigo', 'It is being done.'),
  scheduled: of('indigo', 'It begins by itself at its time.'),
  sending: of('indigo', 'Its emails are being handed to the mail provider.'),
  sent: of('green', 'Every email was handed to the mail provider.'),
  skipped: of('gray', 'No email was sent, for a reason.'),
  soft_failed: of('yellow', 'The server of the recipient refused it for now. The provider tries again.'),
  suppressed: of('red', 'Nothing is sent to this person or address.'),
  suspended: of('yellow', 'Its sign-ups are refused until a person resumes it.'),
  unchecked: of('gray', 'Nobody checked it yet.'),
  unknown: of('yellow', 'The mail provider gave no answer. The email may have been sent.'),
  unscheduled: of('gray', 'A person took it back before it began.'),
  uploaded: of('gray', 'The file is here. Next, its columns need a meaning.'),
  verified: of('green', 'It was checked, and it is right.'),
  waiting: of('indigo', 'It waits at a step.'),
  warning: of('yellow', 'Somebody should look at it.'),
  withdrawn: of('red', 'The contact took the consent back.'),
}

/** States that only the console names. */
const shown: Record<string, State> = {
  added: of('green', 'The new version has it.'),
  changed: of('indigo', 'Both versions have it, and it is different.'),
  removed: of('red', 'The new version does not have it.'),
  enabled: of('green', 'It may be used.'),
  'not enabled': of('gray', 'It may not be used yet.'),
  ready: of('green', 'Nothing is missing for sending.'),
  'not ready': of('yellow', 'Something is missing for sending.'),
  open: of('green', 'What this gate guards is allowed.'),
  closed: of('gray', 'What this gate guards is forbidden.'),
  off: of('gray', 'Nothing is sent to it.'),
  valid: of('green', 'It is right.'),
  invalid: of('red', 'It is not right.'),
}

/** The meaning and the color of a state, or undefined for a name without an entry. */
export const stateOf = (name: string): State | undefined => (named as Record<string, State>)[name] ?? shown[name]
