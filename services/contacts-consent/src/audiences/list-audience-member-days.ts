import type {
  ListAudienceMemberDaysRequest,
  ListAudienceMemberDaysResponseSchema,
} from '@lettergate/contracts/contacts/v1/contact_lists'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { notFound, pathId } from '../values/ids.ts'
import { daysOfAudience } from './audience-member-day.entity.ts'
import { Audience } from './audience.entity.ts'

/** The active members of an audience at the end of each stored day of a year, oldest first, and of now as those of today. */
export async function listAudienceMemberDays(
  ctx: Ctx,
  req: ListAudienceMemberDaysRequest,
): Promise<Reply<typeof ListAudienceMemberDaysResponseSchema>> {
  const { workspaceId } = ctx
  const audienceId = pathId('audience', req.audienceId)
  const days = await ctx.tx(async (em) => {
    if (!(await em.findOne(Audience, { workspaceId, id: audienceId }))) throw notFound('audience')
    return daysOfAudience(em, { workspaceId, audienceId })
  })
  return { days: days.map(({ day, members }) => ({ day, activeMemberCount: members })) }
}
