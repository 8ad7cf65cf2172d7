import type { PrepareTestRecipientResponse } from '@lettergate/contracts/contacts/v1/test_recipients'
import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { Fault } from '@lettergate/fault'
import { findContentState } from '../content/content-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import { gateState } from '../gates/gate-state.ts'
import { isUuid } from '@lettergate/values/uuid'
import { isAllowed } from './allowlist.ts'
import { requireTestable } from './conditions.ts'
import type { TestSendInput } from './test-send-input.ts'

/** The platform gate for test messages. */
const testGate = 'test_sends_enabled'

/** Sender and recipient of a test message whose conditions all held. */
export interface TestParties {
  sender: SenderReadiness
  recipient: PrepareTestRecipientResponse
}

/** Asks all services concurrently. Throws the Fault of the first condition that does not hold or cannot be checked. */
export async function requireConditions(ctx: Ctx, input: TestSendInput): Promise<TestParties> {
  const { workspaceId, config } = ctx
  const [gates, workspace, recipient, sender, content] = await Promise.all([
    ctx.identity.getGates(ctx, {}),
    ctx.identity.getWorkspaceFacts(ctx, { workspaceId }),
    ctx.contacts.prepareTestRecipient(ctx, { email: input.recipientEmail }).catch(namingTheField),
    findSender(ctx, input.senderIdentityId),
    ctx.tx((em) => findContentState(em, workspaceId, input.contentVersionId)),
  ])
  requireTestable({
    testSends: gateState(gates, testGate),
    workspaceIsArchived: workspace.isArchived,
    recipientIsAllowed: isAllowed(config.testRecipients, recipient.normalizedEmail),
    suppressions: recipient.reasons,
    sender,
    hasCredential: sender !== undefined && config.credential(sender.credentialEnvKey) !== undefined,
    content,
  })
  return { sender: sender!, recipient }
}

async function findSender(ctx: Ctx, senderIdentityId: string): Promise<SenderReadiness | undefined> {
  if (!isUuid(senderIdentityId)) return undefined
  try {
    return await ctx.sending.getSenderReadiness(ctx, { senderIdentityId })
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

/** contacts-consent names the field `email`; the API of test sends names it `recipient_email`. */
function namingTheField(error: unknown): never {
  if (error instanceof Fault && error.code === 'invalid_argument' && error.reason === 'email')
    throw new Fault('invalid_argument', 'recipient_email', error.message.replace(/^email\b/, 'recipient_email'))
  throw error
}
