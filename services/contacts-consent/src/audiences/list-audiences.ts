import type { ListAudiencesRequest, ListAudiencesResponseSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { Audience } from './audience.entity.ts'

/** Every audience of this workspace, oldest first; archived ones are included and flagged. */
export async function listAudiences(
  ctx: Ctx,
  _req: ListAudiencesRequest,
): Promise<Reply<typeof ListAudiencesResponseSchema>> {
  const found = await ctx.tx((em) =>
    kyselyOf(em, Audience)
      .selectFrom('audiences')
      .select(['id', 'name', 'slug', 'archived_at'])
      .where('workspace_id', '=', ctx.workspaceId)
      .orderBy('id')
      .execute(),
  )
  return {
    audiences: found.map(({ archived_at: archivedAt, ...audience }) => ({
      ...audience,
      isArchived: archivedAt !== null,
    })),
  }
}
