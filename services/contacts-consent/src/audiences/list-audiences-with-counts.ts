import type {
  ListAudiencesWithCountsRequest,
  ListAudiencesWithCountsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contact_lists'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { AudienceMemberCount, activeMembers } from './audience-member-count.entity.ts'
import { Audience } from './audience.entity.ts'
import { moment } from '@lettergate/values/moment'

/** Every audience with the stored number of its active members, oldest first. */
export async function listAudiencesWithCounts(
  ctx: Ctx,
  _req: ListAudiencesWithCountsRequest,
): Promise<Reply<typeof ListAudiencesWithCountsResponseSchema>> {
  const { workspaceId } = ctx
  const found = await ctx.tx((em) =>
    kyselyOf(em, Audience, AudienceMemberCount)
      .selectFrom('audiences as a')
      .selectAll('a')
      .select(activeMembers)
      .where('a.workspace_id', '=', workspaceId)
      .orderBy('a.id')
      .execute(),
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
