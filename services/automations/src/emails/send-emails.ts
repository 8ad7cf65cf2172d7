import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  AutomationEmailResult,
  AutomationEmails,
  AutomationEmailSchema,
} from '@lettergate/contracts/campaigns/v1/automation_emails'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'

/** The email of a step. */
export type WantedEmail = Omit<Required<MessageInitShape<typeof AutomationEmailSchema>>, '$typeName' | '$unknown'>

const emailsMax = 200
/** Longer than a usual call to the provider. What takes longer is answered as waiting. */
const timeoutMs = 20_000

/**
 * Asks the delivery workers to send these emails, those with the same content and sender together, and returns the result of
 * each step. Safe to repeat with the same step ids. Throws when no worker answers.
 */
export async function sendEmails(
  emails: Client<typeof AutomationEmails>,
  scope: CallScope,
  wanted: readonly WantedEmail[],
): Promise<Map<string, AutomationEmailResult>> {
  const results = new Map<string, AutomationEmailResult>()
  const alike = Map.groupBy(wanted, (email) => `${email.contentVersionId} ${email.senderIdentityId}`)
  const all = [...alike.values()].flat()
  for (let at = 0; at < all.length; at += emailsMax) {
    const asked = all.slice(at, at + emailsMax)
    const reply = await emails.sendAutomationEmails(scope, { emails: asked }, { timeoutMs })
    for (const result of reply.results) results.set(result.stepId, result)
  }
  return results
}
