import { randomInt } from 'node:crypto'
import type { Em } from '@lettergate/database'
import { erasedAmong, lockErasures } from '../contacts/erased-contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { ConnectionLimits } from '../delivery/claim.ts'
import type { HandOffMessage } from '../delivery/hand-off.ts'
import type { IntentOrigin, LockedMessages } from '../delivery/origin.ts'
import { endMessages, type MessageEnd } from '../messages/message-fact.entity.ts'
import { lockStored, storeAudiences } from './automation-email.entity.ts'
import type { EmailSet } from './email-sets.ts'

/**
 * Intents for the emails of a set. The row lock of each message lets one call decide at a time. Contacts who were erased are
 * skipped. Emails that cannot be claimed now are not stored, and none is claimed after the caller was told to wait (`mayGoOn`).
 */
export const emailOrigin = (
  ctx: Ctx,
  set: EmailSet,
  limits: ConnectionLimits,
  mayGoOn: () => boolean,
): IntentOrigin => ({
  kind: 'automation',
  originId: set.automationId,
  limits,
  lock: async (em, _route, messages) => (mayGoOn() ? lockEmails(em, ctx, set, messages) : undefined),
  store: async () => undefined,
})

async function lockEmails(
  em: Em,
  { workspaceId, caller }: Ctx,
  set: EmailSet,
  messages: readonly HandOffMessage[],
): Promise<LockedMessages> {
  // An erasure that is stored later finds these messages and reports them.
  await lockErasures(em, workspaceId)
  const batch = set.batch ?? newBatch()
  const given = new Set(messages.map(({ id }) => id))
  const states = await lockStored(
    em,
    { workspaceId, batch, correlationId: caller.correlationId },
    set.emails.filter(({ stepId }) => given.has(stepId)),
  )
  // A message that another call stored in the meantime has another batch and is handed over by a later call.
  const pending = messages.filter(({ id }) => {
    const stored = states.get(id)
    return stored?.state === 'pending' && stored.batch === batch
  })
  const erased = await erasedAmong(
    em,
    workspaceId,
    pending.flatMap(({ contactId }) => contactId ?? []),
  )
  const isErased = ({ contactId }: HandOffMessage) => contactId !== null && erased.has(contactId)
  await storeAudiences(
    em,
    workspaceId,
    pending.filter((message) => !isErased(message)),
  )
  return {
    batches: [batch],
    pending: new Map(pending.map(({ id }) => [id, batch])),
    ended: pending.filter(isErased).map(({ id }) => ({ id, reasons: ['contact_missing'] })),
    isSingles: set.isSingle,
  }
}

/** Any number: messages of different calls seldom share one, and then only their lookup reads a few more rows. */
const newBatch = () => randomInt(2 ** 31 - 1)

/** Stores the final state of messages that are not handed over, with the audience that was judged. Returns how many were stored. */
export async function storeEnds(
  em: Em,
  ctx: Ctx,
  set: EmailSet,
  ends: readonly { id: string; end: MessageEnd; audienceId: string | null; reasons: readonly string[] }[],
): Promise<number> {
  const { workspaceId, caller } = ctx
  const given = new Set(ends.map(({ id }) => id))
  const states = await lockStored(
    em,
    { workspaceId, batch: set.batch ?? newBatch(), correlationId: caller.correlationId },
    set.emails.filter(({ stepId }) => given.has(stepId)),
  )
  const pending = ends.filter(({ id }) => states.get(id)?.state === 'pending')
  await storeAudiences(em, workspaceId, pending)
  return endMessages(em, { workspaceId, originId: set.automationId }, pending)
}
