import { AuditRecordedSchema, SenderChangedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  CreateSenderIdentityRequest,
  CreateSenderIdentityResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { newId } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { SenderIdentity, senderReply } from '../db/sender-identity.entity.ts'
import { SendingDomain, keepDomain } from '../db/sending-domain.entity.ts'
import { parseSenderAddress, requireOwnAddress } from './email-address.ts'
import { unknownReference } from '../values/identifier.ts'
import { parseUuid } from '@lettergate/values/uuid'
import { parseLine } from '../values/plain-text.ts'

/** Adds a disabled sender. The domain of the from-address must be exactly the sending domain. */
export async function createSenderIdentity(
  ctx: Ctx,
  req: CreateSenderIdentityRequest,
): Promise<Reply<typeof CreateSenderIdentityResponseSchema>> {
  const displayName = parseLine(req.displayName, 'display_name')
  const from = parseSenderAddress(req.fromAddress, 'from_address')
  const replyTo = parseSenderAddress(req.replyTo, 'reply_to').text

  return ctx.tx(async (em) => {
    const { workspaceId } = ctx
    const id = parseUuid(req.sendingDomainId)
    const domain = id === undefined ? null : await em.findOne(SendingDomain, { workspaceId, id })
    if (!domain || !(await keepDomain(em, workspaceId, domain.id)))
      throw unknownReference('sending_domain_id', 'sending domain')
    requireOwnAddress(from, domain.domainName)

    const sender = em.create(SenderIdentity, {
      id: newId(),
      workspaceId,
      sendingDomainId: domain.id,
      displayName,
      fromAddress: from.text,
      replyTo,
      createdBy: ctx.caller.actor,
    })
    await em.flush()
    await publish(em, SenderChangedSchema, { senderIdentityId: sender.id, isEnabled: false })
    await publish(em, AuditRecordedSchema, {
      action: 'sender_identity_created',
      subjectType: 'sender_identity',
      subjectId: sender.id,
      actor: ctx.caller.actor,
      detail: { sending_domain_id: domain.id },
    })
    return { senderIdentity: senderReply(sender, domain) }
  })
}
