import type {
  CreateSubscriptionSourceRequest,
  CreateSubscriptionSourceResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { sourceMessage } from './subscription-source.entity.ts'
import { createSource, parseSource } from './create-source.ts'

/** Creates a source that authenticates with a wallet grant for its id, without a static credential. A used slug is Fault `conflict`. */
export async function createSubscriptionSource(
  ctx: Ctx,
  req: CreateSubscriptionSourceRequest,
): Promise<Reply<typeof CreateSubscriptionSourceResponseSchema>> {
  const { workspaceId } = ctx
  const source = parseSource(req)
  await ctx.tx((em) => createSource(em, { workspaceId, actor: ctx.caller.actor }, source))
  return { source: sourceMessage(source) }
}
