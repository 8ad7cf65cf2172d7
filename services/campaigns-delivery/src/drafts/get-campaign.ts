import type { GetCampaignRequest, GetCampaignResponseSchema } from '@lettergate/contracts/campaigns/v1/drafts'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireCampaign } from './campaign-draft-version.entity.ts'
import { detailedCampaign, detailedRuns, detailedVersions } from './detailed-campaign.ts'

/** Returns one campaign with its versions and runs, read at one moment. */
export async function getCampaign(ctx: Ctx, req: GetCampaignRequest): Promise<Reply<typeof GetCampaignResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(
    async (em) => {
      const campaign = await requireCampaign(em, workspaceId, req.campaignId)
      return {
        campaign: detailedCampaign(campaign),
        versions: await detailedVersions(em, workspaceId, campaign.id),
        runs: await detailedRuns(em, workspaceId, campaign.id),
      }
    },
    { isSnapshot: true },
  )
}
