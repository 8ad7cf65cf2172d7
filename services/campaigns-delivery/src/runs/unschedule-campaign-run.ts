import type {
  UnscheduleCampaignRunRequest,
  UnscheduleCampaignRunResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { controlRun } from './control-run.ts'

/**
 * Unschedules a run before it starts; its campaign becomes a draft again. Fault `failed_precondition` once the run has left
 * `scheduled`.
 */
export function unscheduleCampaignRun(
  ctx: Ctx,
  req: UnscheduleCampaignRunRequest,
): Promise<Reply<typeof UnscheduleCampaignRunResponseSchema>> {
  return controlRun(ctx, req.runId, 'unschedule')
}
