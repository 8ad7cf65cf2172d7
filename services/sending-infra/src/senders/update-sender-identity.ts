import { AuditRecordedSchema, SenderChangedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  UpdateSenderIdentityRequest,
  UpdateSenderIdentityResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockSender, requireSender, senderReply, SenderIdentity } from '../db/sender-identity.entity.ts'
import { requireDomain } from '../db/sending-domain.entity.ts'
import { parseSenderAddress, requireOwnAddress } from './email-address.ts'
import { givenBy } from '../values/given.ts'
import { parseLine } from '../values/plain-text.ts'

function changesOf(req: UpdateSenderIdentityRequest) {
  const isGiven = givenBy(req.updateMask)
  return {
    displayName: isGiven('display_name', req.displayName)
      ? parseLine(req.displayName ?? '', 'display_name')
      : undefined,
    from: isGiven('from_address', req.fromAddress)
      ? parseSenderAddress(req.fromAddress ?? '', 'from_address')
      : undefined,
    replyTo: isGiven('reply_to', req.replyTo) ? parseSenderAddress(req.replyTo ?? '', 'reply_to').text : undefined,
  }
}

/**
 * Changes the given fields. An activation is for one from-address, so a new one disables the sender until it is activated again.
 * A new name or reply-to keeps it enabled, and a run in progress uses it from its next batches.
 */
export async function updateSenderIdentity(
  ctx: Ctx,
  req: UpdateSenderIdentityRequest,
): Promise<Reply<typeof UpdateSenderIdentityResponseSchema>> {
  const { workspaceId } = ctx
  const given = changesOf(req)
  return ctx.tx(async (em) => {
    const before = await lockSender(em, workspaceId, req.senderId)
    const domain = await requireDomain(em, workspaceId, before.sendingDomainId)
    if (given.from) requireOwnAddress(given.from, domain.domainName)
    const displayName = given.displayName ?? before.displayName
    const fromAddress = given.from?.text ?? before.fromAddress
    const replyTo = given.replyTo ?? before.replyTo
    const isReset = fromAddress !== before.fromAddress
    if (isReset || displayName !== before.displayName || replyTo !== before.replyTo) {
      const isEnabled = before.isEnabled && !isReset
      await em.nativeUpdate(
        SenderIdentity,
        { workspaceId, id: before.id },
        { displayName, fromAddress, replyTo, isEnabled },
      )
      await publish(em, SenderChangedSchema, { senderIdentityId: before.id, isEnabled })
      await publish(em, AuditRecordedSchema, {
        action: 'sender_identity_updated',
        subjectType: 'sender_identity',
        subjectId: before.id,
        actor: ctx.caller.actor,
        detail: {
          changed: [
            ...(displayName === before.displayName ? [] : ['display_name']),
            ...(isReset ? ['from_address'] : []),
            ...(replyTo === before.replyTo ? [] : ['reply_to']),
          ],
          disabled: before.isEnabled && isReset,
        },
      })
    }
    return { senderIdentity: senderReply(await requireSender(em, workspaceId, before.id), domain) }
  })
}
