import type { ListCampaignsRequest, ListCampaignsResponseSchema } from '@lettergate/contracts/campaigns/v1/drafts'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { campaignStatuses, type CampaignStatus } from '../runs/run-states.ts'
import { selectCampaigns } from './campaign-draft-version.entity.ts'
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
    selectCampaigns(em, ctx.workspaceId)
      .$if(status !== null, (select) => select.where('c.status', '=', status))
      .$if(after !== null, (select) => select.where('c.id', '<', after))
      .orderBy('c.id', 'desc')
      .limit(limit + 1)
      .execute(),
  )
  const { page, nextCursor } = pageOf('campaigns', found, limit)
  return { campaigns: page.map(detailedCampaign), nextCursor }
}

function parseStatus(given: string | undefined): CampaignStatus | null {
  const status = campaignStatuses.find((known) => known === given) ?? null
  if (status !== null || given === undefined) return status
  throw new Fault('invalid_argument', 'status', `status must be one of ${campaignStatuses.join(', ')}.`)
}
