import type { GetWorkspaceRequest, WorkspaceSchema } from '@lettergate/contracts/identity/v1/identity'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findOperator } from './membership.entity.ts'
import { findWorkspace } from './workspace.entity.ts'
import { capabilitiesOf } from '../domain/capabilities.ts'

/** The workspace with the capabilities of the caller. For a caller who is not a member it does not exist. */
export async function getWorkspace(ctx: Ctx, _request: GetWorkspaceRequest): Promise<Reply<typeof WorkspaceSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => {
    const workspace = await findWorkspace(em, workspaceId)
    const membership = await findOperator(em, workspaceId, ctx.caller.actor)
    if (!workspace || !membership) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
    return {
      organization: workspace.organization,
      workspace: workspace.workspace,
      name: workspace.name,
      role: membership.role,
      isArchived: workspace.is_archived,
      productionSendingEnabled: workspace.production_sending_enabled,
      capabilities: capabilitiesOf(membership.role, workspace.is_archived),
    }
  })
}
