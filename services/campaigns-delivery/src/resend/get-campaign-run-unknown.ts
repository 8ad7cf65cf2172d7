import type {
  GetCampaignRunUnknownRequest,
  GetCampaignRunUnknownResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireRun } from '../runs/campaign-run.entity.ts'
import { countResent, countResendable } from './resendable.ts'

/**
 * Returns how many recipients of a run a resend would send to now, as the resend itself counts them, and how many its resends
 * reached or may have reached.
 */
export async function getCampaignRunUnknown(
  ctx: Ctx,
  req: GetCampaignRunUnknownRequest,
): Promise<Reply<typeof GetCampaignRunUnknownResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(
    async (em) => {
      const { id } = await requireRun(em, workspaceId, req.runId)
      return { resendable: await countResendable(em, workspaceId, id), resent: await countResent(em, workspaceId, id) }
    },
    { isSnapshot: true },
  )
}
