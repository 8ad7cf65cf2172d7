import type {
  ListAudiencesWithCountsRequest,
  ListAudiencesWithCountsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contact_lists'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { moment } from '@lettergate/values/moment'

interface CountedAudienceRow {
  id: string
  name: string
  slug: string
  purpose: string
  minimum_interval_seconds: number
  members: string
  created_at: string
  archived_at: string | null
}

/** Every audience with the number of its active members, oldest first; the numbers are kept and not counted. */
export async function listAudiencesWithCounts(
  ctx: Ctx,
  _req: ListAudiencesWithCountsRequest,
): Promise<Reply<typeof ListAudiencesWithCountsResponseSchema>> {
  const { workspaceId } = ctx
  const found = await ctx.tx((em) =>
    rows<CountedAudienceRow>(
      em,
      sql`select a.id, a.name, a.slug, a.purpose, a.minimum_interval_seconds, a.created_at, a.archived_at,
                 (select coalesce(sum(n.members), 0) from audience_member_counts n
                   where n.workspace_id = ${workspaceId} and n.audience_id = a.id) as members
            from audiences a where a.workspace_id = ${workspaceId} order by a.id`,
    ),
  )
  return {
    audiences: found.map(({ id, name, slug, purpose, ...audience }) => ({
      id,
      name,
      slug,
      purpose,
      minimumIntervalSeconds: audience.minimum_interval_seconds,
      isArchived: audience.archived_at !== null,
      activeMemberCount: Number(audience.members),
      createdAt: moment(audience.created_at),
      archivedAt: moment(audience.archived_at),
    })),
  }
}
