import type {
  SetSourceConfirmationRequest,
  SetSourceConfirmationResponseSchema,
} from '@lettergate/contracts/contacts/v1/confirmations'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { bodyId, notFound } from '../values/ids.ts'
import { auditSource } from './create-source.ts'
import { lockSource, setConfirmation } from './subscription-source.entity.ts'

/**
 * Turns confirmed opt-in on for a source, or changes its email. It applies to the sign-ups from now on. The caller has asked
 * campaigns-delivery about the sender and the content, because this service calls no other.
 */
export async function setSourceConfirmation(
  ctx: Ctx,
  req: SetSourceConfirmationRequest,
): Promise<Reply<typeof SetSourceConfirmationResponseSchema>> {
  const { workspaceId } = ctx
  const email = {
    senderIdentityId: bodyId('sender_identity_id', req.senderIdentityId),
    contentVersionId: bodyId('content_version_id', req.contentVersionId),
  }
  await ctx.tx(async (em) => {
    const source = await lockSource(em, workspaceId, req.sourceSlug)
    if (!source) throw notFound('subscription source')
    await setConfirmation(em, workspaceId, source.id, email)
    await auditSource(em, source, {
      action: 'source_confirmation_set',
      actor: ctx.caller.actor,
      detail: { sender_identity_id: email.senderIdentityId, content_version_id: email.contentVersionId },
    })
  })
  return { confirmation: email }
}
