import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { isErased } from '../contacts/erased-contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { IntentOrigin } from '../delivery/origin.ts'
import { takeKey } from '../idempotency/idempotency-key.entity.ts'
import { requireWithinCaps } from './conditions.ts'
import { Rehearsal } from './rehearsal.entity.ts'
import type { TestParties } from './test-facts.ts'
import { countTestSends, lockTestSendCaps } from './test-send-caps.ts'
import type { TestSendInput } from './test-send-input.ts'
import { TestSend } from './test-send.entity.ts'

/** A test send, and its sender and recipient when the conditions were last checked. */
export interface CheckedTestSend {
  id: string
  input: TestSendInput
  parties: () => TestParties
}

/**
 * The intent for a test send takes the key, checks both caps and stores the test send in one transaction. A refused request
 * stores nothing and does not count against the caps. It takes no slot and ignores the pace, so that it does not wait behind
 * a campaign. It stops when another request with the same key was faster.
 */
export const testOrigin = (ctx: Ctx, checked: CheckedTestSend): IntentOrigin => ({
  kind: 'test_send',
  originId: checked.id,
  limits: { atOnce: null, perSecond: 0 },
  async lock(em) {
    const { id } = checked
    return (await admit(em, ctx, checked)) ? { batches: [0], pending: new Map([[id, 0]]), isSingles: true } : undefined
  },
  store: (em) => storeTestSend(em, ctx, checked),
})

/** False when another request took the key. Throws a Fault when the request is refused. */
async function admit(em: Em, { workspaceId, config }: Ctx, { id, input, parties }: CheckedTestSend): Promise<boolean> {
  if (!(await takeKey(em, workspaceId, { ...input, resourceId: id }))) return false
  await lockTestSendCaps(em, workspaceId)
  const { contactId } = parties().recipient
  if (contactId !== undefined && (await isErased(em, workspaceId, contactId))) throw erased()
  requireWithinCaps(
    { hourly: config.testSendHourlyCap, daily: config.testSendDailyCap },
    await countTestSends(em, workspaceId),
  )
  return true
}

async function storeTestSend(
  em: Em,
  { workspaceId, caller, config }: Ctx,
  { id, input, parties }: CheckedTestSend,
): Promise<void> {
  const { recipient } = parties()
  await em.insert(TestSend, {
    workspaceId,
    id,
    purpose: input.purpose,
    senderIdentityId: input.senderIdentityId,
    contentVersionId: input.contentVersionId,
    recipientEmail: recipient.email,
    contactId: recipient.contactId ?? null,
    requestedBy: caller.actor,
    correlationId: caller.correlationId,
  })
  if (input.purpose === 'rehearsal')
    await kyselyOf(em, Rehearsal)
      .insertInto('rehearsals')
      .values({
        workspace_id: workspaceId,
        id: newId(),
        test_send_id: id,
        deadline_at: sql`clock_timestamp() + ${config.rehearsalDeadlineSeconds} * interval '1 second'`,
      })
      .execute()
  await publish(em, AuditRecordedSchema, {
    action: input.purpose === 'rehearsal' ? 'rehearsal_created' : 'test_send_created',
    subjectType: 'test_send',
    subjectId: id,
    actor: caller.actor,
    detail: { sender_identity_id: input.senderIdentityId, content_version_id: input.contentVersionId },
  })
}

const erased = () =>
  new Fault(
    'failed_precondition',
    'recipient_erased',
    'recipient_email belongs to a person who has just been erased. Erased contacts get no email. Use another address.',
  )

/** The connection of the test send is in cooldown. */
export function inCooldown(until: Date, now: Date): Fault {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000))
  return new Fault(
    'failed_precondition',
    'provider_cooldown',
    `The mail provider did not take the last messages of this connection, so it is not used for ${seconds} more seconds. Try again after that.`,
  )
}
