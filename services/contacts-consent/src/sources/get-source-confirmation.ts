import type {
  GetSourceConfirmationRequest,
  GetSourceConfirmationResponseSchema,
} from '@lettergate/contracts/contacts/v1/confirmations'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { notFound } from '../values/ids.ts'
import { findSource } from './subscription-source.entity.ts'

/** The email of confirmed opt-in of a source. Without it, sign-ups are accepted at once. */
export async function getSourceConfirmation(
  ctx: Ctx,
  req: GetSourceConfirmationRequest,
): Promise<Reply<typeof GetSourceConfirmationResponseSchema>> {
  const source = await ctx.tx((em) => findSource(em, ctx.workspaceId, req.sourceSlug))
  if (!source) throw notFound('subscription source')
  return source.confirmation === null ? {} : { confirmation: source.confirmation }
}
