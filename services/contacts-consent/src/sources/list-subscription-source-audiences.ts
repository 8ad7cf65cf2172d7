import type {
  ListSubscriptionSourceAudiencesRequest,
  ListSubscriptionSourceAudiencesResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { presentedOf, requireAdmission } from './require-admission.ts'

/** The live audiences that the calling source may fill, by name. A grant needs `audiences.read`; a static credential nothing. */
export async function listSubscriptionSourceAudiences(
  ctx: Ctx,
  req: ListSubscriptionSourceAudiencesRequest,
): Promise<Reply<typeof ListSubscriptionSourceAudiencesResponseSchema>> {
  const source = await requireAdmission(ctx, {
    slug: req.sourceSlug,
    presented: presentedOf(req.presented),
    permission: 'audiences.read',
  })
  const audiences = await ctx.tx((em) =>
    rows<{ id: string; name: string; slug: string }>(
      em,
      sql`select id, name, slug from audiences
           where workspace_id = ${source.workspaceId} and archived_at is null
             and (${source.allows_all_audiences} or id = any(${source.allowed_audience_ids}::uuid[]))
           order by name, id`,
    ),
  )
  return { schemaVersion: 'service.subscription-source-audiences.v1', sourceId: source.id, audiences }
}
