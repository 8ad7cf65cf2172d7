import { AuditRecordedSchema, SenderChangedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  DeleteSenderIdentityRequest,
  DeleteSenderIdentityResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockSender, SenderIdentity } from '../db/sender-identity.entity.ts'

/** Deletes a sender. The caller must check that no campaign uses it, because this service may not call campaigns-delivery. */
export async function deleteSenderIdentity(
  ctx: Ctx,
  req: DeleteSenderIdentityRequest,
): Promise<Reply<typeof DeleteSenderIdentityResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => {
    const { id, sendingDomainId } = await lockSender(em, workspaceId, req.senderId)
    await em.nativeDelete(SenderIdentity, { workspaceId, id })
    await publish(em, SenderChangedSchema, { senderIdentityId: id, isEnabled: false })
    await publish(em, AuditRecordedSchema, {
      action: 'sender_identity_deleted',
      subjectType: 'sender_identity',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { sending_domain_id: sendingDomainId },
    })
    return { deleted: true }
  })
}
