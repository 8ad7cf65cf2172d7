import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  DeleteProviderConnectionRequest,
  DeleteProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { SendingDomain } from '../db/sending-domain.entity.ts'
import { lockConnection, ProviderConnection } from '../db/provider-connection.entity.ts'

/** Deletes a connection that no domain uses. Later events to its webhook URL are refused as unknown. */
export async function deleteProviderConnection(
  ctx: Ctx,
  req: DeleteProviderConnectionRequest,
): Promise<Reply<typeof DeleteProviderConnectionResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => {
    const { id, name } = await lockConnection(em, workspaceId, req.connectionId)
    const user = await em.findOne(
      SendingDomain,
      { workspaceId, providerConnectionId: id },
      { orderBy: { domainName: 'asc' } },
    )
    if (user)
      throw new Fault(
        'failed_precondition',
        'connection_in_use',
        `The sending domain ${user.domainName} is read through this connection. Bind it to another one or delete it first.`,
      )
    await em.nativeDelete(ProviderConnection, { workspaceId, id })
    await publish(em, AuditRecordedSchema, {
      action: 'provider_connection_deleted',
      subjectType: 'provider_connection',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { name },
    })
    return { deleted: true }
  })
}
