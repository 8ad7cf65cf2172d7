import type {
  RequireSenderUnusedRequest,
  RequireSenderUnusedResponseSchema,
} from '@lettergate/contracts/campaigns/v1/uses'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { selectCurrentDrafts } from './campaign-draft-version.entity.ts'

/** Fault `failed_precondition` that names a campaign that is not over and whose current draft or run uses this sender. */
export async function requireSenderUnused(
  ctx: Ctx,
  { senderId }: RequireSenderUnusedRequest,
): Promise<Reply<typeof RequireSenderUnusedResponseSchema>> {
  if (!isUuid(senderId)) return {}
  const user = await ctx.tx((em) =>
    selectCurrentDrafts(em, ctx.workspaceId)
      .select(['c.id', 'd.name'])
      .where((eb) =>
        eb.or([
          eb.and([eb('c.status', 'in', ['draft', 'scheduled', 'sending']), eb('d.sender_identity_id', '=', senderId)]),
          eb.exists(
            eb
              .selectFrom('campaign_runs as r')
              .select('r.id')
              .whereRef('r.workspace_id', '=', 'c.workspace_id')
              .whereRef('r.campaign_id', '=', 'c.id')
              .where('r.sender_identity_id', '=', senderId)
              .where('r.state', 'in', ['building', 'scheduled', 'sending', 'paused']),
          ),
        ]),
      )
      .orderBy('c.id')
      .limit(1)
      .executeTakeFirst(),
  )
  if (user) {
    throw new Fault(
      'failed_precondition',
      'sender_in_use',
      `The campaign ${JSON.stringify(user.name)} (${user.id}) uses this sender. Choose another one for it, or end it first.`,
    )
  }
  return {}
}
