import { Fault } from '@lettergate/fault'
import type { GateState } from '../gates/gate-state.ts'

export const confirmations = { test_send: 'SEND TEST EMAIL', rehearsal: 'RUN CONTROLLED REHEARSAL' } as const
export type TestPurpose = keyof typeof confirmations

/** The facts that decide whether a test may be sent. The key, the confirmation and the caps are checked separately. */
export interface TestFacts {
  testSends: GateState
  workspaceIsArchived: boolean
  recipientIsAllowed: boolean
  /** scopes of the suppressions of the address */
  suppressions: readonly string[]
  /** undefined when the workspace has no such sender */
  sender: { domainIsVerified: boolean; connectionIsActive: boolean; connectionState: string } | undefined
  hasCredential: boolean
  /** undefined when the workspace has no such version */
  content: { valid: boolean } | undefined
}

type TestCondition = readonly [
  code: 'invalid_argument' | 'failed_precondition',
  reason: string,
  holds: (facts: TestFacts) => boolean,
  message: (facts: TestFacts) => string,
]

const inWords: Readonly<Record<string, string>> = {
  suppressed_platform: 'by the platform (suppressed_platform)',
  suppressed_workspace: 'in this workspace (suppressed_workspace)',
  suppressed_audience: 'in an audience that it left (suppressed_audience)',
}

/** Unknown ids come first, then the order of the specification. The gateway checks the capability. */
const conditions: readonly TestCondition[] = [
  [
    'invalid_argument',
    'sender_identity_id',
    ({ sender }) => sender !== undefined,
    () => 'sender_identity_id names nothing in this workspace.',
  ],
  [
    'invalid_argument',
    'content_version_id',
    ({ content }) => content !== undefined,
    () => 'content_version_id names nothing in this workspace.',
  ],
  [
    'failed_precondition',
    'content_empty',
    ({ content }) => content?.valid === true,
    () => 'Nothing was left of this content version when it was sanitised. Append another version.',
  ],
  [
    'failed_precondition',
    'recipient_not_allowed',
    ({ recipientIsAllowed }) => recipientIsAllowed,
    () =>
      'recipient_email is not among the recipients allowed to receive test messages here. Use an address of TEST_RECIPIENT_ALLOWLIST, or ask a platform operator to add this one.',
  ],
  [
    'failed_precondition',
    'recipient_suppressed',
    ({ suppressions }) => suppressions.length === 0,
    ({ suppressions }) =>
      `recipient_email is suppressed ${suppressions.map((scope) => inWords[scope] ?? scope).join(' and ')}. Suppressed addresses get no email, not even a test. Use another address.`,
  ],
  [
    'failed_precondition',
    'test_sends_ceiling',
    ({ testSends }) => testSends !== 'below_ceiling',
    () =>
      'Test sends are closed in this deployment: its environment does not set TEST_SENDS_ENABLED. Ask its operator to set it to true.',
  ],
  [
    'failed_precondition',
    'test_sends_switch',
    ({ testSends }) => testSends === 'open',
    () => 'The platform gate test_sends_enabled is closed. Ask a platform owner or administrator to open it.',
  ],
  [
    'failed_precondition',
    'workspace_archived',
    ({ workspaceIsArchived }) => !workspaceIsArchived,
    () => 'This workspace is archived, so nothing can be sent from it.',
  ],
  [
    'failed_precondition',
    'domain_not_verified',
    ({ sender }) => sender?.domainIsVerified === true,
    () =>
      "The sender's domain is not currently verified: its last check failed or is too old. Verify the domain again.",
  ],
  [
    'failed_precondition',
    'connection_not_verified',
    ({ sender, hasCredential }) =>
      sender?.connectionIsActive === true && sender.connectionState === 'verified' && hasCredential,
    () =>
      "The provider connection of the sender's domain is not verified and active. Check the connection and activate it.",
  ],
]

/** Throws the Fault of the first condition that does not hold. */
export function requireTestable(facts: TestFacts): void {
  const failed = conditions.find(([, , holds]) => !holds(facts))
  if (!failed) return
  const [code, reason, , message] = failed
  throw new Fault(code, reason, message(facts))
}

/** Fault `invalid_argument` unless the confirmation matches exactly. */
export function requireConfirmation(purpose: TestPurpose, given: string): void {
  if (given === confirmations[purpose]) return
  throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly ${confirmations[purpose]}.`)
}

/** How many test messages a workspace may send in an hour and in a day. */
export interface Caps {
  hourly: number
  daily: number
}

/** Throws a Fault when a cap is reached. Rehearsals count too. */
export function requireWithinCaps(caps: Caps, made: Caps): void {
  const [cap, window] = made.hourly >= caps.hourly ? [caps.hourly, 'hour'] : [caps.daily, 'day']
  if (made.hourly < caps.hourly && made.daily < caps.daily) return
  throw new Fault(
    'failed_precondition',
    `${window === 'hour' ? 'hourly' : 'daily'}_cap_reached`,
    `This workspace has made its ${cap} test sends of the last ${window}, rehearsals included. Wait until some of them are older.`,
  )
}
