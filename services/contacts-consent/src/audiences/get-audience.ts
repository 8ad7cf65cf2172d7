import type { GetAudienceRequest, GetAudienceResponseSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { AudienceMemberCount, activeMembers } from './audience-member-count.entity.ts'
import { Audience } from './audience.entity.ts'
import { notFound, pathId } from '../values/ids.ts'

/** One audience with the stored number of its active members, so the cost does not depend on that number. */
export async function getAudience(ctx: Ctx, req: GetAudienceRequest): Promise<Reply<typeof GetAudienceResponseSchema>> {
  const { workspaceId } = ctx
  const audienceId = pathId('audience', req.audienceId)
  const found = await ctx.tx((em) =>
    kyselyOf(em, Audience, AudienceMemberCount)
      .selectFrom('audiences as a')
      .select(['a.id', 'a.name', 'a.slug', 'a.purpose', 'a.archived_at', activeMembers])
      .where('a.workspace_id', '=', workspaceId)
      .where('a.id', '=', audienceId)
      .executeTakeFirst(),
  )
  if (!found) throw notFound('audience')
  const { archived_at: archivedAt, members, ...audience } = found
  return { audience: { ...audience, isArchived: archivedAt !== null, activeMemberCount: Number(members) } }
}
