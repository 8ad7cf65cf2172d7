import { AuditRecordedSchema, SenderChangedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  ActivateSenderIdentityRequest,
  ActivateSenderIdentityResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireSender, SenderIdentity } from '../db/sender-identity.entity.ts'
import { requireDomain } from '../db/sending-domain.entity.ts'
import { requireConfirmation } from '../values/confirmation.ts'
import { domainObstacle, isCheckCurrent } from '../records/readiness.ts'

const productionGate = 'production_sending_enabled'

function requireOwner({ role, platformRole }: Ctx['caller']): void {
  if (role !== 'owner' && platformRole !== 'owner') {
    throw new Fault('permission_denied', 'ownership', 'Only an owner of the workspace or of the platform can do this.')
  }
}

async function requireProductionGate(ctx: Ctx): Promise<void> {
  const { effective, ceilings } = await ctx.identity.getGates(ctx, {})
  if (effective[productionGate] === true) return
  const [reason, message] =
    ceilings[productionGate] === false
      ? [
          'production_ceiling',
          'This deployment holds production sending closed: its environment does not set ALLOW_PRODUCTION_SENDING_ACTIVATION. Ask its operator to set it to true.',
        ]
      : [
          'production_switch',
          `The platform gate ${productionGate} is closed. Ask a platform owner or administrator to open it.`,
        ]
  throw new Fault('failed_precondition', reason, message)
}

/** Allows campaigns to use this sender. An owner must confirm, the production gate must be open, and the domain must be ready. Safe to repeat. */
export async function activateSenderIdentity(
  ctx: Ctx,
  req: ActivateSenderIdentityRequest,
): Promise<Reply<typeof ActivateSenderIdentityResponseSchema>> {
  requireOwner(ctx.caller)
  requireConfirmation(req.confirmation, 'ACTIVATE PRODUCTION SENDING')
  await ctx.tx((em) => requireSender(em, ctx.workspaceId, req.senderId))
  await requireProductionGate(ctx)

  return ctx.tx(async (em) => {
    const { id, sendingDomainId } = await requireSender(em, ctx.workspaceId, req.senderId)
    const domain = await requireDomain(em, ctx.workspaceId, sendingDomainId)
    const obstacle = domainObstacle(domain, isCheckCurrent(domain, ctx.now(), ctx.config.domainCheckMaxAgeHours))
    if (obstacle !== undefined) throw new Fault('failed_precondition', 'sending_domain', obstacle)

    const changed = await em.nativeUpdate(
      SenderIdentity,
      { workspaceId: ctx.workspaceId, id, isEnabled: false },
      { isEnabled: true, enabledAt: ctx.now(), enabledBy: ctx.caller.actor },
    )
    if (changed > 0) {
      await publish(em, SenderChangedSchema, { senderIdentityId: id, isEnabled: true })
      await publish(em, AuditRecordedSchema, {
        action: 'sender_identity_activated',
        subjectType: 'sender_identity',
        subjectId: id,
        actor: ctx.caller.actor,
        detail: {},
      })
    }
    return { senderIdentity: { id, isEnabled: true } }
  })
}
