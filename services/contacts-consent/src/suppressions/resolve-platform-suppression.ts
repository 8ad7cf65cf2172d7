import type {
  ResolvePlatformSuppressionRequest,
  ResolvePlatformSuppressionResponseSchema,
} from '@lettergate/contracts/contacts/v1/suppressions'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { resolveOnRecord } from './resolve-on-record.ts'
import type { Ctx } from '../ctx.ts'
import { findSuppression } from './suppression.entity.ts'
import { workspaceOfPlatformSuppression } from './listed-platform-suppressions.ts'
import { requiredText } from '@lettergate/values/text'
import { isUuid } from '@lettergate/values/uuid'
import { requirePlatformAdministrator } from './suppression.ts'

/**
 * Resolves a platform suppression and records this in the workspace that made it. The caller need not be a member of that
 * workspace. Other suppressions of the same address stay unresolved. Safe to repeat.
 */
export async function resolvePlatformSuppression(
  ctx: Ctx,
  req: ResolvePlatformSuppressionRequest,
): Promise<Reply<typeof ResolvePlatformSuppressionResponseSchema>> {
  const { caller } = ctx
  requirePlatformAdministrator(caller.platformRole)
  const resolutionReason = requiredText('resolution_reason', req.resolutionReason)
  const { suppressionId } = req
  const workspaceId = isUuid(suppressionId)
    ? await ctx
        .acrossWorkspaces('resolve-platform-suppression')
        .tx((em) => workspaceOfPlatformSuppression(em, suppressionId))
    : undefined
  if (workspaceId === undefined)
    throw new Fault('not_found', 'suppression', 'There is no such suppression of the platform.')

  await ctx.inWorkspace(workspaceId).tx(async (em) => {
    const suppression = await findSuppression(em, workspaceId, suppressionId)
    await resolveOnRecord(em, { workspaceId, by: caller, now: ctx.now() }, suppression!, resolutionReason)
  })
  return { resolved: true }
}
