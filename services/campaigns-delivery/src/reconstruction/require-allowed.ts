import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'

/** Asks identity again whether this environment and this operator allow a reconstruction: the program alone is not trusted. */
export async function requireAllowed(ctx: Ctx): Promise<void> {
  const { organization, workspace, actor } = ctx.caller
  const { workspaceId } = await ctx.identity.requireReconstructionAllowed(ctx, {
    organization: organization ?? '',
    workspace: workspace ?? '',
    walletUserId: actor,
  })
  if (workspaceId !== ctx.workspaceId) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
}
