import type { ListCampaignsRequest, ListCampaignsResponseSchema } from '@lettergate/contracts/campaigns/v1/drafts'
import { rows, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { campaignStatuses } from '../runs/run-states.ts'
import { campaignsShown, type CampaignRow } from './campaign-draft-version.entity.ts'
import { detailedCampaign } from './detailed-campaign.ts'

/** Lists campaigns with their current draft version, newest first, one page at a time, optionally of one status. */
export async function listCampaigns(
  ctx: Ctx,
  req: ListCampaignsRequest,
): Promise<Reply<typeof ListCampaignsResponseSchema>> {
  const limit = parseLimit(req.limit)
  const after = parseCursor('campaigns', req.cursor)
  const status = parseStatus(req.status)
  const found = await ctx.tx((em) =>
    rows<CampaignRow>(
      em,
      sql`${campaignsShown(ctx.workspaceId)} and (${status}::text is null or c.status = ${status}::text) and (${after}::uuid is null or c.id < ${after}::uuid)
           order by c.id desc limit ${limit + 1}`,
    ),
  )
  const { page, nextCursor } = pageOf('campaigns', found, limit)
  return { campaigns: page.map(detailedCampaign), nextCursor }
}

function parseStatus(given: string | undefined): string | null {
  if (given === undefined || campaignStatuses.some((status) => status === given)) return given ?? null
  throw new Fault('invalid_argument', 'status', `status must be one of ${campaignStatuses.join(', ')}.`)
}
