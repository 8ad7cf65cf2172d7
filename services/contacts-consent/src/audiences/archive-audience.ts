import type { ArchiveAudienceRequest, ArchiveAudienceResponseSchema } from '@lettergate/contracts/contacts/v1/audiences'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { archiveOnce, findAudience } from './audience.entity.ts'
import { notFound, pathId } from '../values/ids.ts'

/** Archives an audience: no new subscriptions and no mail. Members and slug stay. Safe to repeat. */
export async function archiveAudience(
  ctx: Ctx,
  req: ArchiveAudienceRequest,
): Promise<Reply<typeof ArchiveAudienceResponseSchema>> {
  const { workspaceId } = ctx
  const audienceId = pathId('audience', req.audienceId)
  await ctx.tx(async (em) => {
    if (await archiveOnce(em, workspaceId, audienceId)) {
      await publish(em, AuditRecordedSchema, {
        action: 'audience_archived',
        subjectType: 'audience',
        subjectId: audienceId,
        actor: ctx.caller.actor,
        detail: {},
      })
    } else if (!(await findAudience(em, workspaceId, audienceId))) throw notFound('audience')
  })
  return { archived: true }
}
