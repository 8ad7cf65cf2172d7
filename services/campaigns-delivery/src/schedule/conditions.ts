import { Fault } from '@lettergate/fault'
import type { GateState } from '../gates/gate-state.ts'

/** The facts that decide whether a campaign may be scheduled. */
export interface ScheduleFacts {
  scheduledFor: Date
  now: Date
  campaignStatus: string
  audiences: readonly { id: string; isArchived: boolean }[]
  /** audiences of the draft; an unknown audience counts as archived */
  audienceIds: readonly string[]
  templateIsArchived: boolean
  /** undefined when the sender was deleted */
  sender:
    | {
        domainIsReady: boolean
        domainCheckIsCurrent: boolean
        connectionIsActive: boolean
        connectionState: string
        isEnabled: boolean
      }
    | undefined
  production: GateState
  workspace: { isArchived: boolean; productionSendingEnabled: boolean }
}

type ScheduleCondition = readonly [
  reason: string,
  holds: (facts: ScheduleFacts) => boolean,
  message: string | ((facts: ScheduleFacts) => string),
]

const archivedOf = ({ audienceIds, audiences }: ScheduleFacts) =>
  audienceIds.filter((id) => !audiences.some((audience) => audience.id === id && !audience.isArchived))

/** In the order of the specification. The gateway checks the first condition, the capability. */
const conditions: readonly ScheduleCondition[] = [
  [
    'scheduled_for',
    ({ scheduledFor, now }) => scheduledFor > now,
    'scheduled_for must lie in the future. Choose a later time.',
  ],
  [
    'campaign_not_draft',
    ({ campaignStatus }) => campaignStatus === 'draft',
    'Only a draft can be scheduled, and this campaign is no draft any more.',
  ],
  [
    'audience_archived',
    (facts) => facts.audienceIds.length > 0 && archivedOf(facts).length === 0,
    (facts) =>
      facts.audienceIds.length < 2
        ? 'The audience of this campaign is archived. Append a draft version with another audience.'
        : `Of the audiences of this campaign these are archived: ${archivedOf(facts).join(', ')}. Append a draft version without them.`,
  ],
  [
    'content_archived',
    ({ templateIsArchived }) => !templateIsArchived,
    'The email template of this campaign is archived. Restore it, or append a draft version with other content.',
  ],
  [
    'sender_missing',
    ({ sender }) => sender !== undefined,
    'The sender identity of this campaign does not exist any more. Append a draft version with another sender.',
  ],
  [
    'sender_not_ready',
    ({ sender }) => sender?.domainIsReady === true,
    'The sender is not ready: its sending domain does not pass every readiness check. Verify the domain and see what is missing.',
  ],
  [
    'production_ceiling',
    ({ production }) => production !== 'below_ceiling',
    'Production sending is closed in this deployment: its environment does not set ALLOW_PRODUCTION_SENDING_ACTIVATION. Ask its operator to set it to true.',
  ],
  [
    'production_switch',
    ({ production }) => production === 'open',
    'The platform gate production_sending_enabled is closed. Ask a platform owner or administrator to open it.',
  ],
  [
    'workspace_archived',
    ({ workspace }) => !workspace.isArchived,
    'This workspace is archived, so nothing can be sent from it.',
  ],
  [
    'workspace_sending_disabled',
    ({ workspace }) => workspace.productionSendingEnabled,
    'Production sending is not activated for this workspace. Activate sending first.',
  ],
  [
    'connection_not_verified',
    ({ sender }) => sender?.connectionIsActive === true && sender.connectionState === 'verified',
    "The provider connection of the sender's domain is not verified and active. Check the connection and activate it.",
  ],
  [
    'domain_check_outdated',
    ({ sender }) => sender?.domainCheckIsCurrent === true,
    'The last passing verification of the sending domain is too old. Verify the domain again.',
  ],
  [
    'sender_disabled',
    ({ sender }) => sender?.isEnabled === true,
    'The sender identity is not enabled. Activate the sender first.',
  ],
]

/** Throws the Fault of the first condition that does not hold. */
export function requireSchedulable(facts: ScheduleFacts): void {
  const failed = conditions.find(([, holds]) => !holds(facts))
  if (!failed) return
  const [reason, , message] = failed
  const code = reason === 'scheduled_for' ? 'invalid_argument' : 'failed_precondition'
  throw new Fault(code, reason, typeof message === 'string' ? message : message(facts))
}
