import type { HasEnabledSenderRequest, HasEnabledSenderResponseSchema } from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { SenderIdentity } from '../db/sender-identity.entity.ts'

/** Whether any sender of the workspace is enabled. */
export async function hasEnabledSender(
  ctx: Ctx,
  _req: HasEnabledSenderRequest,
): Promise<Reply<typeof HasEnabledSenderResponseSchema>> {
  const { workspaceId } = ctx
  const enabled = await ctx.tx((em) => em.findOne(SenderIdentity, { workspaceId, isEnabled: true }, { fields: ['id'] }))
  return { found: enabled !== null }
}
