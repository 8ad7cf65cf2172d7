import { Fault } from '@lettergate/fault'
import { compileContent } from '../content/compile.ts'
import { findStoredContent } from '../content/content-version.entity.ts'
import { valuesCharsMax } from '../content/render.ts'
import type { Ctx } from '../ctx.ts'
import { messageForm, messageRecipient, requireLinks } from '../delivery/message-content.ts'
import type { JudgedMessages } from '../delivery/send-messages.ts'
import { confirmationToken } from '../html/tokens.ts'
import type { TestParties } from './test-facts.ts'
import type { TestSendInput } from './test-send-input.ts'

/**
 * Builds the message as a campaign would, with the same templates and variables, and marks it as a test for the provider.
 * Values are those of the contact with this address, otherwise the defaults of the content version.
 */
export async function testMessage(
  ctx: Ctx,
  { id, input, parties }: { id: string; input: TestSendInput; parties: TestParties },
): Promise<Pick<JudgedMessages, 'form' | 'messages' | 'eligible' | 'ineligible'>> {
  const { sender, recipient } = parties
  const content = await ctx.tx((em) => findStoredContent(em, ctx.workspaceId, input.contentVersionId))
  if (!content) throw new Error('a content version does not exist, although none is ever deleted')
  const compiled = compileContent(content)
  const links = requireLinks(recipient.linkBases)
  // A test confirms nothing, so its confirmation link leads to the preference page.
  const confirmationUrl = links.preferenceUrl + recipient.preferenceToken
  const mergeFields = { ...recipient.mergeFields, [confirmationToken]: confirmationUrl }
  const message = messageRecipient(id, { ...recipient, mergeFields }, compiled)
  if (!message)
    throw new Fault(
      'failed_precondition',
      'message_too_large',
      `The values for this contact have more than ${valuesCharsMax} characters. Shorten the fields, or use them in fewer places.`,
    )
  return {
    form: messageForm(compiled, sender, links, { test_send_id: id }),
    messages: new Map([[id, message]]),
    eligible: [{ id, contactId: recipient.contactId ?? null, audienceId: null, minimumIntervalSeconds: 0 }],
    ineligible: [],
  }
}
