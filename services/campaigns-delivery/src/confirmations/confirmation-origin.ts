import type { Em } from '@lettergate/database'
import { isErased, lockErasures } from '../contacts/erased-contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { ConnectionLimits } from '../delivery/claim.ts'
import type { HandOffOrigin, IntentOrigin, LockedMessages } from '../delivery/origin.ts'
import { lockWaiting, stopWaiting, waitUntil, type DueConfirmation } from './confirmation-email.entity.ts'

/** A confirmation email waits after a hand-off that did not happen, and is tried again. */
export const confirmationOrigin: HandOffOrigin = {
  isTriedAgain: true,
  endOf: async () => undefined,
  pendingAgain: (em, { workspaceId, originId }, { dueAt }) => waitUntil(em, workspaceId, originId, dueAt),
  settled: async () => undefined,
}

/** The intent for one confirmation email. The row lock lets one worker decide about it at a time. */
export const confirmationIntent = (
  ctx: Ctx,
  { id, contact_id }: DueConfirmation,
  limits: ConnectionLimits,
): IntentOrigin => ({
  kind: 'confirmation',
  originId: id,
  limits,
  lock: (em) => lockEmail(em, ctx.workspaceId, { id, contactId: contact_id }),
  async store(em, { handOffs, skipped }) {
    if (handOffs.length + skipped > 0) await stopWaiting(em, ctx.workspaceId, id)
  },
})

async function lockEmail(
  em: Em,
  workspaceId: string,
  { id, contactId }: { id: string; contactId: string },
): Promise<LockedMessages | undefined> {
  // An erasure that is stored later finds this message and reports it.
  await lockErasures(em, workspaceId)
  if (!(await lockWaiting(em, workspaceId, id))) return undefined
  const ended = (await isErased(em, workspaceId, contactId)) ? [{ id, reasons: ['contact_missing'] }] : []
  return { batches: [0], pending: new Map([[id, 0]]), ended, isSingles: true }
}
