import type {
  ResolveSuppressionRequest,
  ResolveSuppressionResponseSchema,
} from '@lettergate/contracts/contacts/v1/suppressions'
import type { Reply } from '@lettergate/rpc'
import { resolveOnRecord } from './resolve-on-record.ts'
import type { Ctx } from '../ctx.ts'
import { findSuppression } from './suppression.entity.ts'
import { requiredText } from '@lettergate/values/text'
import { notFound, pathId } from '../values/ids.ts'
import { requirePlatformAdministrator } from './suppression.ts'

/**
 * Resolves one suppression and records this. It subscribes no contact: email needs a consent that is still granted, or a new one.
 * Only an owner or administrator of the platform can resolve the platform scope. Safe to repeat.
 */
export async function resolveSuppression(
  ctx: Ctx,
  req: ResolveSuppressionRequest,
): Promise<Reply<typeof ResolveSuppressionResponseSchema>> {
  const { workspaceId, caller } = ctx
  const resolutionReason = requiredText('resolution_reason', req.resolutionReason)
  const suppressionId = pathId('suppression', req.suppressionId)

  await ctx.tx(async (em) => {
    const suppression = await findSuppression(em, workspaceId, suppressionId)
    if (!suppression) throw notFound('suppression')
    if (suppression.scope === 'platform') requirePlatformAdministrator(caller.platformRole)
    await resolveOnRecord(em, { workspaceId, by: caller, now: ctx.now() }, suppression, resolutionReason)
  })
  return { resolved: true }
}
