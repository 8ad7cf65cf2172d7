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
import { requireConfirmation } from '../values/confirmation.ts'
import { obstacleFault } from '../provider/provider-problem.ts'
import { allowedKeys } from './provider-keys.ts'

/** Allows sending through a connection and schedules checks of its domains. The last check of the connection must be verified. Safe to repeat. */
export async function activateProviderConnection(
  ctx: Ctx,
  req: ActivateProviderConnectionRequest,
): Promise<Reply<typeof ActivateProviderConnectionResponseSchema>> {
  requireConfirmation(req.confirmation, 'ENABLE TEST CONNECTION')
  const isAllowedKey = await allowedKeys(ctx)
  return ctx.tx(async (em) => {
    const { id, connectionState, credentialEnvKey } = await requireConnection(em, ctx.workspaceId, req.connectionId)
    if (!isAllowedKey(credentialEnvKey)) throw obstacleFault('credential_not_allowed')
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
