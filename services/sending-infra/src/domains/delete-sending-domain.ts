import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  DeleteSendingDomainRequest,
  DeleteSendingDomainResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { endAlert, publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { SenderIdentity } from '../db/sender-identity.entity.ts'
import { isHeld } from '../db/domain-holder.entity.ts'
import { lockDomain, SendingDomain } from '../db/sending-domain.entity.ts'

/**
 * Deletes a domain without senders, with its checks. Nothing changes at the provider. The organization keeps the name while
 * another of its workspaces has it. After that, any organization can add it.
 */
export async function deleteSendingDomain(
  ctx: Ctx,
  req: DeleteSendingDomainRequest,
): Promise<Reply<typeof DeleteSendingDomainResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => {
    const { id, domainName } = await lockDomain(em, workspaceId, req.domainId)
    const user = await em.findOne(SenderIdentity, { workspaceId, sendingDomainId: id }, { orderBy: { id: 'asc' } })
    if (user)
      throw new Fault(
        'failed_precondition',
        'domain_in_use',
        `The sender identity ${JSON.stringify(user.displayName)} (${user.id}) uses this domain. Delete it first.`,
      )
    await em.nativeDelete(SendingDomain, { workspaceId, id })
    await endAlert(em, 'sending_domain_regressed', id)
    await endAlert(em, 'sending_domain_unchecked', id)
    await publish(em, AuditRecordedSchema, {
      action: 'sending_domain_deleted',
      subjectType: 'sending_domain',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { domain_name: domainName, name_released: !(await isHeld(em, domainName)) },
    })
    return { deleted: true }
  })
}
