import type {
  DescribeAudiencesRequest,
  DescribeAudiencesResponseSchema,
} from '@lettergate/contracts/contacts/v1/audiences'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'

interface AudienceRow {
  id: string
  name: string
  slug: string
  is_archived: boolean
}

/** Name and state of these audiences, in the order asked. Ids that this workspace does not have are absent. */
export async function describeAudiences(
  ctx: Ctx,
  req: DescribeAudiencesRequest,
): Promise<Reply<typeof DescribeAudiencesResponseSchema>> {
  const ids = [...new Set(req.audienceIds.filter(isUuid))]
  const found = await ctx.tx((em) =>
    rows<AudienceRow>(
      em,
      sql`select id, name, slug, archived_at is not null as is_archived
            from audiences where workspace_id = ${ctx.workspaceId} and id = any(${ids}::uuid[])
           order by array_position(${ids}::uuid[], id)`,
    ),
  )
  return { audiences: found.map(({ id, name, slug, is_archived }) => ({ id, name, slug, isArchived: is_archived })) }
}
