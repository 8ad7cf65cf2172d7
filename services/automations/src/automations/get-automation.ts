import type {
  GetAutomationRequest,
  GetAutomationResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { requireAutomation } from './automation.entity.ts'

/** Returns one automation with its current version in full and its version history. */
export async function getAutomation(
  ctx: Ctx,
  req: GetAutomationRequest,
): Promise<Reply<typeof GetAutomationResponseSchema>> {
  return ctx.tx(async (em) => {
    const automation = await requireAutomation(em, ctx.workspaceId, { id: req.automationId })
    return { automation: await automationReply(em, automation) }
  })
}
