import type {
  ListSubscriptionSourceAudiencesRequest,
  ListSubscriptionSourceAudiencesResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { presentedOf, requireAdmission } from './require-admission.ts'
import { Audience } from '../audiences/audience.entity.ts'

/** The live audiences that the calling source may fill, sorted by name. A grant needs `audiences.read`; a static credential needs no permission. */
export async function listSubscriptionSourceAudiences(
  ctx: Ctx,
  req: ListSubscriptionSourceAudiencesRequest,
): Promise<Reply<typeof ListSubscriptionSourceAudiencesResponseSchema>> {
  const source = await requireAdmission(ctx, {
    slug: req.sourceSlug,
    presented: presentedOf(req.presented),
    permission: 'audiences.read',
  })
  const audiences = await ctx.tx((em) => {
    const live = kyselyOf(em, Audience)
      .selectFrom('audiences')
      .select(['id', 'name', 'slug'])
      .where('workspace_id', '=', source.workspaceId)
      .where('archived_at', 'is', null)
      .orderBy('name')
      .orderBy('id')
    const allowed = source.allowed_audience_ids
    return (source.allows_all_audiences ? live : live.where('id', '=', (eb) => eb.fn.any(eb.val(allowed)))).execute()
  })
  return { schemaVersion: 'service.subscription-source-audiences.v1', sourceId: source.id, audiences }
}
