import type {
  RequireSenderUnusedRequest,
  RequireSenderUnusedResponseSchema,
} from '@lettergate/contracts/contacts/v1/confirmations'
import { kyselyOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { SubscriptionSource } from './subscription-source.entity.ts'

/** Fault `failed_precondition` that names a source whose confirmation emails come from this sender. */
export async function requireSenderUnused(
  ctx: Ctx,
  { senderId }: RequireSenderUnusedRequest,
): Promise<Reply<typeof RequireSenderUnusedResponseSchema>> {
  if (!isUuid(senderId)) return {}
  const user = await ctx.tx((em) =>
    kyselyOf(em, SubscriptionSource)
      .selectFrom('subscription_sources')
      .select('slug')
      .where('workspace_id', '=', ctx.workspaceId)
      .where('confirmation_sender_identity_id', '=', senderId)
      .orderBy('slug')
      .limit(1)
      .executeTakeFirst(),
  )
  if (!user) return {}
  throw new Fault(
    'failed_precondition',
    'sender_in_use',
    `The subscription source ${user.slug} sends its confirmation emails from this sender. Choose another one for it first.`,
  )
}
