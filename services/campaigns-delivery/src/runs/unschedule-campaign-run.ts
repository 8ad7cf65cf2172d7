import type {
  UnscheduleCampaignRunRequest,
  UnscheduleCampaignRunResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { controlRun } from './control-run.ts'

/** Takes a run back before it starts; its campaign is a draft again. Fault `failed_precondition` once it has left `scheduled`. */
export function unscheduleCampaignRun(
  ctx: Ctx,
  req: UnscheduleCampaignRunRequest,
): Promise<Reply<typeof UnscheduleCampaignRunResponseSchema>> {
  return controlRun(ctx, req.runId, 'unschedule')
}
