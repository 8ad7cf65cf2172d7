import type {
  ActivateWorkspaceSendingRequest,
  ActivateWorkspaceSendingResponseSchema,
} from '@lettergate/contracts/identity/v1/identity'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readGates, type Gate } from './platform-gate.entity.ts'
import { announceWorkspace, findWorkspace, setProductionSending } from '../identity/workspace.entity.ts'
import { owns } from '../domain/capabilities.ts'

const phrase = 'ACTIVATE PRODUCTION SENDING'

function requireProductionGate(gate: Gate | undefined): void {
  if (gate?.effective === true) return
  const [reason, message] =
    gate?.ceiling === false
      ? [
          'production_ceiling',
          'This deployment holds production sending closed: its environment does not set ALLOW_PRODUCTION_SENDING_ACTIVATION. Ask its operator to set it to true.',
        ]
      : [
          'production_switch',
          'The platform gate production_sending_enabled is closed. Ask a platform owner or administrator to open it.',
        ]
  throw new Fault('failed_precondition', reason, message)
}

/** Allows a workspace to send to real recipients, if it has a ready sender and the production gate is open. Safe to repeat. */
export async function activateWorkspaceSending(
  ctx: Ctx,
  request: ActivateWorkspaceSendingRequest,
): Promise<Reply<typeof ActivateWorkspaceSendingResponseSchema>> {
  const { workspaceId, caller } = ctx
  if (!owns('platform_or_workspace_owner', caller.role ?? '', caller.platformRole)) {
    throw new Fault(
      'permission_denied',
      'ownership',
      'Only an owner of this workspace or of the platform can turn production sending on.',
    )
  }
  if (request.confirmation !== phrase)
    throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly "${phrase}".`)
  if (!request.quotaReviewed)
    throw new Fault(
      'invalid_argument',
      'quota_reviewed',
      'quota_reviewed must be true: review the provider quota first.',
    )
  const { found } = await ctx.sending.hasReadySender(ctx, {})
  if (!found) {
    throw new Fault(
      'failed_precondition',
      'ready_sender',
      'This workspace has no sender on a ready domain. Verify a sending domain and create a sender on it first.',
    )
  }
  return ctx.tx(async (em) => {
    const gates = await readGates(em, ctx.ceilings)
    requireProductionGate(gates.find(({ name }) => name === 'production_sending_enabled'))
    const changed = await setProductionSending(em, workspaceId, true)
    const workspace = await findWorkspace(em, workspaceId)
    if (!workspace) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
    if (changed) {
      await announceWorkspace(em, workspace)
      await publish(em, AuditRecordedSchema, {
        action: 'workspace_sending_activated',
        subjectType: 'workspace',
        subjectId: workspaceId,
        actor: caller.actor,
        detail: { quota_reviewed: true },
      })
    }
    return { workspace: { id: workspaceId, productionSendingEnabled: workspace.production_sending_enabled } }
  })
}
