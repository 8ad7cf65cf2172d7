import type { GetAudienceRequest, GetAudienceResponseSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { row, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { notFound, pathId } from '../values/ids.ts'

interface AudienceRow {
  id: string
  name: string
  slug: string
  purpose: string
  is_archived: boolean
  members: string
}

/** One audience with the number of its active members, which is kept and not counted: it costs the same for a million. */
export async function getAudience(ctx: Ctx, req: GetAudienceRequest): Promise<Reply<typeof GetAudienceResponseSchema>> {
  const { workspaceId } = ctx
  const audienceId = pathId('audience', req.audienceId)
  const found = await ctx.tx((em) =>
    row<AudienceRow>(
      em,
      sql`select id, name, slug, purpose, archived_at is not null as is_archived,
                 (select coalesce(sum(members), 0) from audience_member_counts
                   where workspace_id = ${workspaceId} and audience_id = ${audienceId}) as members
            from audiences where workspace_id = ${workspaceId} and id = ${audienceId}`,
    ),
  )
  if (!found) throw notFound('audience')
  const { is_archived, members, ...audience } = found
  return { audience: { ...audience, isArchived: is_archived, activeMemberCount: Number(members) } }
}
