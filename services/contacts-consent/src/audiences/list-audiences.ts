import type { ListAudiencesRequest, ListAudiencesResponseSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

interface ListedAudience {
  id: string
  name: string
  slug: string
  is_archived: boolean
}

/** Every audience of this workspace, oldest first; archived ones are included and flagged. */
export async function listAudiences(
  ctx: Ctx,
  _req: ListAudiencesRequest,
): Promise<Reply<typeof ListAudiencesResponseSchema>> {
  const found = await ctx.tx((em) =>
    rows<ListedAudience>(
      em,
      sql`select id, name, slug, archived_at is not null as is_archived
            from audiences where workspace_id = ${ctx.workspaceId} order by id`,
    ),
  )
  return { audiences: found.map(({ is_archived, ...audience }) => ({ ...audience, isArchived: is_archived })) }
}
