import type {
  ControlCampaignRunRequest,
  ControlCampaignRunResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { controlRun } from './control-run.ts'

const actions = ['pause', 'resume', 'cancel'] as const

/**
 * Pauses, resumes or cancels a run. Messages that are already claimed still go out, no others. A run resumed before its time
 * is scheduled again; an overdue run starts at once. Fault `failed_precondition` if the action does not fit the state of the
 * run.
 */
export async function controlCampaignRun(
  ctx: Ctx,
  req: ControlCampaignRunRequest,
): Promise<Reply<typeof ControlCampaignRunResponseSchema>> {
  const action = actions.find((known) => known === req.action)
  if (!action)
    throw new Fault('not_found', 'action', 'There is no such action. A run can be paused, resumed or cancelled.')
  return controlRun(ctx, req.runId, action)
}
