import type {
  TurnWorkspaceSendingOffRequest,
  TurnWorkspaceSendingOffResponseSchema,
} from '@lettergate/contracts/identity/v1/identity'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { announceWorkspace, findWorkspace, setProductionSending } from '../identity/workspace.entity.ts'

/**
 * Stops all sending of a workspace to real recipients, with the runs in progress, and announces it to every service. It needs no
 * gate and no confirmation, so that stopping is easy. Safe to repeat.
 */
export async function turnWorkspaceSendingOff(
  ctx: Ctx,
  _request: TurnWorkspaceSendingOffRequest,
): Promise<Reply<typeof TurnWorkspaceSendingOffResponseSchema>> {
  const { workspaceId, caller } = ctx
  return ctx.tx(async (em) => {
    const changed = await setProductionSending(em, workspaceId, false)
    const workspace = await findWorkspace(em, workspaceId)
    if (!workspace) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
    if (changed) {
      await announceWorkspace(em, workspace)
      await publish(em, AuditRecordedSchema, {
        action: 'workspace_sending_stopped',
        subjectType: 'workspace',
        subjectId: workspaceId,
        actor: caller.actor,
        detail: {},
      })
    }
    return { workspace: { id: workspaceId, productionSendingEnabled: workspace.production_sending_enabled } }
  })
}
