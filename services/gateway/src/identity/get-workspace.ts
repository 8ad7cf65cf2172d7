import type { GetWorkspaceRequest, WorkspaceSchema } from '@lettergate/contracts/identity/v1/identity'
import { row, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findWorkspace } from './workspace.entity.ts'
import { capabilitiesOf } from '../domain/capabilities.ts'

/** The caller's workspace with what their role may do in it now. Not a member means that it does not exist. */
export async function getWorkspace(ctx: Ctx, _request: GetWorkspaceRequest): Promise<Reply<typeof WorkspaceSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => {
    const workspace = await findWorkspace(em, workspaceId)
    const membership = await row<{ role: string }>(
      em,
      sql`select m.role from memberships m join users u on u.id = m.user_id
           where m.workspace_id = ${workspaceId}::uuid and u.wallet_user_id = ${ctx.caller.actor}`,
    )
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
