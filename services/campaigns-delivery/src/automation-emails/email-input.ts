import type { AutomationEmail } from '@lettergate/contracts/campaigns/v1/automation_emails'
import { Fault } from '@lettergate/fault'
import type { Carrier } from '@lettergate/service/tracing'
import { parseUuid } from '@lettergate/values/uuid'

/** The email of one step, as automations asks for it. */
export interface StepEmail {
  stepId: string
  enrollmentId: string
  automationId: string
  contactId: string
  /** candidates in order of preference */
  audienceIds: readonly string[]
  contentVersionId: string
  senderIdentityId: string
  /** of the step; empty without a trace */
  trace: Carrier
}

export const emailsMax = 200
export const audiencesMax = 10

/** Parses a request. Each step is in the answer once. Fault `invalid_argument` names the field. */
export function parseEmails(emails: readonly AutomationEmail[]): Map<string, StepEmail> {
  if (emails.length > emailsMax)
    throw new Fault('invalid_argument', 'emails', `emails: send at most ${emailsMax} at a time.`)
  return new Map(emails.map((email) => [id('step_id', email.stepId), parseEmail(email)]))
}

function parseEmail(email: AutomationEmail): StepEmail {
  if (email.audienceIds.length > audiencesMax)
    throw new Fault('invalid_argument', 'audience_ids', `audience_ids: give at most ${audiencesMax}.`)
  return {
    stepId: id('step_id', email.stepId),
    enrollmentId: id('enrollment_id', email.enrollmentId),
    automationId: id('automation_id', email.automationId),
    contactId: id('contact_id', email.contactId),
    audienceIds: [...new Set(email.audienceIds.map((audienceId) => id('audience_ids', audienceId)))],
    contentVersionId: id('content_version_id', email.contentVersionId),
    senderIdentityId: id('sender_identity_id', email.senderIdentityId),
    trace: email.traceparent === '' ? {} : { traceparent: email.traceparent },
  }
}

function id(field: string, given: string): string {
  const parsed = parseUuid(given)
  if (parsed === undefined) throw new Fault('invalid_argument', field, `${field} must be a UUID.`)
  return parsed
}
