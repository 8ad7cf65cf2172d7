import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  ActivateProviderConnectionRequest,
  ActivateProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { connectionReply, requireConnection, ProviderConnection } from '../db/provider-connection.entity.ts'
import { recheckDomainsOf } from '../db/sending-domain.entity.ts'
import { requireConfirmation } from '../domain/confirmation.ts'
import { obstacleFault } from '../domain/provider-problem.ts'
import { namableKeys } from '../verification/provider-keys.ts'

/** Lets a connection be used for sending, and has its domains checked again. Only one that its last check verified; safe to repeat. */
export async function activateProviderConnection(
  ctx: Ctx,
  req: ActivateProviderConnectionRequest,
): Promise<Reply<typeof ActivateProviderConnectionResponseSchema>> {
  requireConfirmation(req.confirmation, 'ENABLE TEST CONNECTION')
  const mayName = await namableKeys(ctx)
  return ctx.tx(async (em) => {
    const { id, connectionState, credentialEnvKey } = await requireConnection(em, ctx.workspaceId, req.connectionId)
    if (!mayName(credentialEnvKey)) throw obstacleFault('credential_not_allowed')
    if (connectionState !== 'verified') {
      throw new Fault(
        'failed_precondition',
        'connection_state',
        'Only a verified connection can be activated. Check the connection first.',
      )
    }
    const changed = await em.nativeUpdate(
      ProviderConnection,
      { workspaceId: ctx.workspaceId, id, connectionState: 'verified', isActive: false },
      { isActive: true, activatedAt: ctx.now(), activatedBy: ctx.caller.actor },
    )
    if (changed > 0) {
      await recheckDomainsOf(em, ctx.workspaceId, id)
      await publish(em, AuditRecordedSchema, {
        action: 'provider_connection_activated',
        subjectType: 'provider_connection',
        subjectId: id,
        actor: ctx.caller.actor,
        detail: {},
      })
    }
    const connection = await requireConnection(em, ctx.workspaceId, id)
    if (!connection.isActive)
      throw new Fault(
        'failed_precondition',
        'connection_state',
        'Only a verified connection can be activated. Check the connection first.',
      )
    return { providerConnection: connectionReply(connection) }
  })
}
