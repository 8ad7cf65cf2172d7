import type { ListSubscriptionSourcesResponseSchema } from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { listSources, sourceMessage } from './subscription-source.entity.ts'

/** Every source of this workspace in any status, sorted by slug. */
export async function listSubscriptionSources(ctx: Ctx): Promise<Reply<typeof ListSubscriptionSourcesResponseSchema>> {
  const { workspaceId } = ctx
  const sources = await ctx.tx((em) => listSources(em, workspaceId))
  return { sources: sources.map(sourceMessage) }
}
