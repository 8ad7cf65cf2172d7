import type { GetPreflightRequest, GetPreflightResponseSchema } from '@lettergate/contracts/campaigns/v1/preflight'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { Preflight, preflightReply } from './preflight.entity.ts'

/** Returns the newest preflight of the workspace, if there is one. */
export async function getPreflight(
  ctx: Ctx,
  _req: GetPreflightRequest,
): Promise<Reply<typeof GetPreflightResponseSchema>> {
  const newest = await ctx.tx((em) =>
    kyselyOf(em, Preflight)
      .selectFrom('preflights')
      .selectAll()
      .where('workspace_id', '=', ctx.workspaceId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  )
  return newest ? { preflight: preflightReply(newest) } : {}
}
