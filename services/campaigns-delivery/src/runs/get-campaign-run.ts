import type { GetCampaignRunRequest, GetCampaignRunResponseSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireRun, runReply } from './campaign-run.entity.ts'
import { countSent } from './run-recipient.entity.ts'

/** Returns one run with its current counts. */
export async function getCampaignRun(
  ctx: Ctx,
  req: GetCampaignRunRequest,
): Promise<Reply<typeof GetCampaignRunResponseSchema>> {
  return ctx.tx(async (em) => {
    const run = await requireRun(em, ctx.workspaceId, req.runId)
    return { campaignRun: runReply(run, await countSent(em, ctx.workspaceId, run.id)) }
  })
}
