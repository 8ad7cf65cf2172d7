import type {
  ListAutomationsRequest,
  ListAutomationsResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { listedAutomation } from './automation-reply.ts'
import { selectAutomations } from './automation.entity.ts'

/** Lists every automation of the workspace, newest first, and the platform switch at this moment. */
export async function listAutomations(
  ctx: Ctx,
  _req: ListAutomationsRequest,
): Promise<Reply<typeof ListAutomationsResponseSchema>> {
  const [{ effective }, automations] = await Promise.all([
    ctx.identity.getGates(ctx, {}),
    ctx.tx((em) => selectAutomations(em, ctx.workspaceId).orderBy('id', 'desc').execute()),
  ])
  return {
    automations: automations.map(listedAutomation),
    authoringOnly: true,
    executionAvailable: false,
    runtimeEnabled: effective['automation_enabled'] ?? false,
  }
}
