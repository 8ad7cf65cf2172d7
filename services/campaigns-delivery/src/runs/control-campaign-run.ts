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
 * Pauses, resumes or cancels a run. What was claimed before still goes out, nothing after it; a run resumed before its time
 * is scheduled again, an overdue one starts at once. An action that does not fit is `failed_precondition` and changes nothing.
 */
export async function controlCampaignRun(
  ctx: Ctx,
  req: ControlCampaignRunRequest,
): Promise<Reply<typeof ControlCampaignRunResponseSchema>> {
  const action = actions.find((known) => known === req.action)
  if (!action)
    throw new Fault('not_found', 'action', 'There is no such action. A run can be paused, resumed or cancelled.')
  const reply = await controlRun(ctx, req.runId, action)
  ctx.wakeWorkers()
  return reply
}
