import type {
  ReplaceSubscriptionSourceOriginsRequest,
  ReplaceSubscriptionSourceOriginsResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockSource, setOrigins, sourceMessage } from './subscription-source.entity.ts'
import { notFound } from '../values/ids.ts'
import { parseOrigins } from './origin.ts'
import { auditSource } from './create-source.ts'

/** Replaces the complete list of allowed origins, effective at once. Safe to repeat. */
export async function replaceSubscriptionSourceOrigins(
  ctx: Ctx,
  req: ReplaceSubscriptionSourceOriginsRequest,
): Promise<Reply<typeof ReplaceSubscriptionSourceOriginsResponseSchema>> {
  const { workspaceId } = ctx
  const origins = parseOrigins(req.allowedOrigins)
  const source = await ctx.tx(async (em) => {
    const found = await lockSource(em, workspaceId, req.sourceSlug)
    if (!found) throw notFound('subscription source')
    if (JSON.stringify(found.allowed_origins) !== JSON.stringify(origins)) {
      await setOrigins(em, workspaceId, found.id, origins)
      await auditSource(em, found, {
        action: 'subscription_source_origins_replaced',
        actor: ctx.caller.actor,
        detail: { from: found.allowed_origins, to: origins },
      })
    }
    return { ...found, allowed_origins: origins }
  })
  return { source: sourceMessage(source) }
}
