import type { GetWorkspaceFactsRequest, WorkspaceFactsSchema } from '@lettergate/contracts/identity/v1/identity'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findWorkspace } from './workspace.entity.ts'
import { isUuid } from '@lettergate/values/uuid'

/** The facts of one workspace that other services need. */
export async function getWorkspaceFacts(
  ctx: Ctx,
  request: GetWorkspaceFactsRequest,
): Promise<Reply<typeof WorkspaceFactsSchema>> {
  const { workspaceId } = request
  const workspace = isUuid(workspaceId)
    ? await ctx.acrossWorkspaces(ctx.caller).tx((em) => findWorkspace(em, workspaceId))
    : undefined
  if (!workspace) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
  return {
    workspaceId: workspace.id,
    organization: workspace.organization,
    workspace: workspace.workspace,
    name: workspace.name,
    isArchived: workspace.is_archived,
    productionSendingEnabled: workspace.production_sending_enabled,
  }
}
