import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { isErased } from '../contacts/erased-contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import { claim } from '../delivery/claim.ts'
import type { ClaimedHandOff } from '../delivery/hand-off.ts'
import { takeKey } from '../idempotency/idempotency-key.entity.ts'
import { requireWithinCaps } from './conditions.ts'
import { Rehearsal } from './rehearsal.entity.ts'
import type { TestParties } from './test-facts.ts'
import { countTestSends, lockTestSendCaps } from './test-send-caps.ts'
import type { TestSendInput } from './test-send-input.ts'
import { TestSend } from './test-send.entity.ts'

/** A test send whose conditions all held at `judgedAt`. */
export interface CheckedTestSend {
  id: string
  input: TestSendInput
  parties: TestParties
  /** database time before the conditions were checked */
  judgedAt: string
}

export type TestIntent =
  | { kind: 'claimed'; handOff: ClaimedHandOff; isTrial: boolean }
  /** another request with the same key was faster */
  | { kind: 'duplicate' }

/** The conditions are too old and must be checked again. Nothing was stored. */
export class ConditionsOutdated extends Error {
  override name = 'ConditionsOutdated'
}

/**
 * Takes the key, checks both caps and stores the intent in one transaction. A refused request stores nothing and does not
 * count against the caps.
 */
export async function commitTestIntent(em: Em, ctx: Ctx, checked: CheckedTestSend): Promise<TestIntent> {
  const { id, input, parties } = checked
  const { recipient } = parties
  const { workspaceId, caller, config } = ctx
  if (!(await takeKey(em, workspaceId, { ...input, resourceId: id }))) return { kind: 'duplicate' }
  await lockTestSendCaps(em, workspaceId)
  const contactId = recipient.contactId ?? null
  if (contactId !== null && (await isErased(em, workspaceId, contactId))) throw erased()
  requireWithinCaps(
    { hourly: config.testSendHourlyCap, daily: config.testSendDailyCap },
    await countTestSends(em, workspaceId),
  )
  const handOff = await claimTest(em, ctx, checked, contactId)
  await em.insert(TestSend, {
    workspaceId,
    id,
    purpose: input.purpose,
    senderIdentityId: input.senderIdentityId,
    contentVersionId: input.contentVersionId,
    recipientEmail: recipient.email,
    contactId,
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
  return handOff
}

/** A test send takes no slot and ignores the pace, so that it does not wait behind a campaign. */
async function claimTest(
  em: Em,
  ctx: Ctx,
  { id, parties, judgedAt }: CheckedTestSend,
  contactId: string | null,
): Promise<Extract<TestIntent, { kind: 'claimed' }>> {
  const claimed = await claim(em, {
    workspaceId: ctx.workspaceId,
    kind: 'test_send',
    originId: id,
    batch: 0,
    messages: [{ id, contactId, audienceId: null, minimumIntervalSeconds: 0 }],
    sender: parties.sender,
    judgedAt,
    limits: { atOnce: null, perSecond: 0 },
    isSingles: true,
  })
  if (claimed.kind === 'cooldown') throw inCooldown(claimed.until, ctx.now())
  if (claimed.kind === 'outdated') throw new ConditionsOutdated()
  if (claimed.kind !== 'claimed') throw new Error(`a test send was not claimed: ${claimed.kind}`)
  return { kind: 'claimed', handOff: claimed.handOffs[0]!, isTrial: claimed.isTrial }
}

const erased = () =>
  new Fault(
    'failed_precondition',
    'recipient_erased',
    'recipient_email belongs to a person who has just been erased. Erased contacts get no email. Use another address.',
  )

function inCooldown(until: Date, now: Date): Fault {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000))
  return new Fault(
    'failed_precondition',
    'provider_cooldown',
    `The mail provider did not take the last messages of this connection, so it is not used for ${seconds} more seconds. Try again after that.`,
  )
}
