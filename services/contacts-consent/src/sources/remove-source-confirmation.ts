import type {
  RemoveSourceConfirmationRequest,
  RemoveSourceConfirmationResponseSchema,
} from '@lettergate/contracts/contacts/v1/confirmations'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { notFound } from '../values/ids.ts'
import { auditSource } from './create-source.ts'
import { lockSource, setConfirmation } from './subscription-source.entity.ts'

/**
 * Turns confirmed opt-in off for a source: sign-ups from now on are accepted at once. Those that wait for their confirmation go
 * on waiting. The answer is the same when it was off.
 */
export async function removeSourceConfirmation(
  ctx: Ctx,
  req: RemoveSourceConfirmationRequest,
): Promise<Reply<typeof RemoveSourceConfirmationResponseSchema>> {
  const { workspaceId } = ctx
  await ctx.tx(async (em) => {
    const source = await lockSource(em, workspaceId, req.sourceSlug)
    if (!source) throw notFound('subscription source')
    if (source.confirmation === null) return
    await setConfirmation(em, workspaceId, source.id, null)
    await auditSource(em, source, { action: 'source_confirmation_removed', actor: ctx.caller.actor })
  })
  return { deleted: true }
}
