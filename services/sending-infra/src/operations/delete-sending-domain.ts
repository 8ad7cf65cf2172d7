import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  DeleteSendingDomainRequest,
  DeleteSendingDomainResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { execute, row, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isHeld } from '../db/domain-holder.entity.ts'
import { lockDomain } from '../db/sending-domain.entity.ts'

/**
 * Takes a domain away on which no sender stands, with its checks. Nothing changes at the provider. The name stays the
 * organization's while another of its workspaces has it, and is anybody's after that.
 */
export async function deleteSendingDomain(
  ctx: Ctx,
  req: DeleteSendingDomainRequest,
): Promise<Reply<typeof DeleteSendingDomainResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => {
    const { id, domainName } = await lockDomain(em, workspaceId, req.domainId)
    const user = await row<{ id: string; display_name: string }>(
      em,
      sql`select id, display_name from sender_identities where workspace_id = ${workspaceId} and sending_domain_id = ${id} order by id limit 1`,
    )
    if (user)
      throw new Fault(
        'failed_precondition',
        'domain_in_use',
        `The sender identity ${JSON.stringify(user.display_name)} (${user.id}) stands on this domain. Delete it first.`,
      )
    await execute(em, sql`delete from sending_domains where workspace_id = ${workspaceId} and id = ${id}`)
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
