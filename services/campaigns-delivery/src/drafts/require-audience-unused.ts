import type {
  RequireAudienceUnusedRequest,
  RequireAudienceUnusedResponseSchema,
} from '@lettergate/contracts/campaigns/v1/uses'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { selectCurrentDrafts } from './campaign-draft-version.entity.ts'

/** Fault `failed_precondition` that names a campaign that is not over and whose current draft uses this audience. */
export async function requireAudienceUnused(
  ctx: Ctx,
  { audienceId }: RequireAudienceUnusedRequest,
): Promise<Reply<typeof RequireAudienceUnusedResponseSchema>> {
  if (!isUuid(audienceId)) return {}
  const user = await ctx.tx((em) =>
    selectCurrentDrafts(em, ctx.workspaceId)
      .select(['c.id', 'd.name'])
      .where('c.status', 'in', ['draft', 'scheduled', 'sending'])
      .where((eb) => eb(eb.val(audienceId), '=', eb.fn.any('d.audience_ids')))
      .orderBy('c.id')
      .limit(1)
      .executeTakeFirst(),
  )
  if (user) {
    throw new Fault(
      'failed_precondition',
      'audience_in_use',
      `The campaign ${JSON.stringify(user.name)} (${user.id}) uses this audience. Choose another one for it, or end it first.`,
    )
  }
  return {}
}
