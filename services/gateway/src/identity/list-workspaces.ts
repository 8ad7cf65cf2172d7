import type { ListWorkspacesRequest, ListWorkspacesResponseSchema } from '@lettergate/contracts/identity/v1/identity'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { membershipsOf } from './membership.entity.ts'

/** Every workspace in which the caller is a member, with archived ones, which are marked. */
export async function listWorkspaces(
  ctx: Ctx,
  _request: ListWorkspacesRequest,
): Promise<Reply<typeof ListWorkspacesResponseSchema>> {
  const memberships = await ctx.acrossWorkspaces(ctx.caller).tx((em) => membershipsOf(em, ctx.caller.actor))
  return {
    workspaces: memberships.map((membership) => ({
      organization: membership.organization,
      workspace: membership.workspace,
      name: membership.name,
      role: membership.role,
      isArchived: membership.is_archived,
      productionSendingEnabled: membership.production_sending_enabled,
    })),
  }
}
