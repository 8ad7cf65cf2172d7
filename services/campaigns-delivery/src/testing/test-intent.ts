import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, newId, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { askLine, beginTrial } from '../db/connection-holds.ts'
import { isErased } from '../db/erased-contacts.ts'
import { countTestSends, holdTestSendCaps } from '../db/test-send-caps.ts'
import { lineOf } from '../delivery/intent.ts'
import { requireWithinCaps } from '../domain/testing/conditions.ts'
import type { TestParties } from './test-facts.ts'
import type { TestWish } from './test-wish.ts'

/** One call to the provider that is about to be made. */
export interface TestIntent {
  id: string
  /** the call that decides whether a connection is open again */
  isTrial: boolean
}

/**
 * Takes the key, counts against both caps and writes down what is about to be handed over, in one transaction; whatever is
 * refused leaves no trace and takes nothing from the caps. Answers undefined when a twin was faster.
 */
export async function commitTestIntent(
  em: Em,
  ctx: Ctx,
  making: { id: string; wish: TestWish; parties: TestParties },
): Promise<TestIntent | undefined> {
  const { id, wish, parties } = making
  const { sender, recipient } = parties
  const { workspaceId, caller, config } = ctx
  const taken = await execute(
    em,
    sql`insert into idempotency_keys (workspace_id, operation, key, fingerprint, resource_id)
        values (${workspaceId}, ${wish.operation}, ${wish.key}, ${wish.fingerprint}, ${id}) on conflict do nothing`,
  )
  if (taken === 0) return undefined
  await holdTestSendCaps(em, workspaceId)
  if (recipient.contactId !== undefined && (await isErased(em, workspaceId, recipient.contactId))) throw erased()
  requireWithinCaps(
    { hourly: config.testSendHourlyCap, daily: config.testSendDailyCap },
    await countTestSends(em, workspaceId),
  )
  const line = lineOf(workspaceId, sender)
  const permission = await askLine(em, line)
  if (permission.kind === 'resting') throw resting(permission.until, ctx.now())
  if (permission.kind === 'trial') await beginTrial(em, line)
  await execute(
    em,
    sql`insert into test_sends (workspace_id, id, purpose, sender_identity_id, content_version_id, recipient_email, contact_id,
                                connection_id, domain_name, region, credential_env_key, requested_by, correlation_id)
        values (${workspaceId}, ${id}, ${wish.purpose}, ${wish.senderIdentityId}, ${wish.contentVersionId}, ${recipient.email}, ${recipient.contactId ?? null}::uuid,
                ${sender.providerConnectionId}, ${sender.domainName}, ${sender.region}, ${sender.credentialEnvKey}, ${caller.actor}, ${caller.correlationId})`,
  )
  if (wish.purpose === 'rehearsal')
    await execute(
      em,
      sql`insert into rehearsals (workspace_id, id, test_send_id, deadline_at)
          values (${workspaceId}, ${newId()}, ${id}, clock_timestamp() + ${config.rehearsalDeadlineSeconds} * interval '1 second')`,
    )
  await publish(em, AuditRecordedSchema, {
    action: wish.purpose === 'rehearsal' ? 'rehearsal_created' : 'test_send_created',
    subjectType: 'test_send',
    subjectId: id,
    actor: caller.actor,
    detail: { sender_identity_id: wish.senderIdentityId, content_version_id: wish.contentVersionId },
  })
  return { id, isTrial: permission.kind === 'trial' }
}

const erased = () =>
  new Fault(
    'failed_precondition',
    'recipient_erased',
    'recipient_email belongs to a person who has just been erased. Nobody who was erased is mailed; use another address.',
  )

function resting(until: Date, now: Date): Fault {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000))
  return new Fault(
    'failed_precondition',
    'provider_resting',
    `The mail provider did not take the last messages of this connection, so it is left alone for ${seconds} more seconds. Ask again after that.`,
  )
}
