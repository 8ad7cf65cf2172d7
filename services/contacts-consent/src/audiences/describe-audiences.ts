import type {
  DescribeAudiencesRequest,
  DescribeAudiencesResponseSchema,
} from '@lettergate/contracts/contacts/v1/audiences'
import { kyselyOf, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { Audience } from './audience.entity.ts'
import { isUuid } from '@lettergate/values/uuid'

/** Name and state of these audiences, in the requested order. Ids that this workspace does not have are absent. */
export async function describeAudiences(
  ctx: Ctx,
  req: DescribeAudiencesRequest,
): Promise<Reply<typeof DescribeAudiencesResponseSchema>> {
  const ids = [...new Set(req.audienceIds.filter(isUuid))]
  const found = await ctx.tx((em) =>
    kyselyOf(em, Audience)
      .selectFrom('audiences')
      .select(['id', 'name', 'slug', 'archived_at'])
      .where('workspace_id', '=', ctx.workspaceId)
      .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
      .orderBy(sql`array_position(${ids}::uuid[], id)`)
      .execute(),
  )
  return {
    audiences: found.map(({ archived_at: archivedAt, ...audience }) => ({
      ...audience,
      isArchived: archivedAt !== null,
    })),
  }
}
