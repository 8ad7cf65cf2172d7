import type { Ctx } from '../ctx.ts'
import { openGates, type SendingGate } from './open-gates.ts'

/** Asks for the gates now, without a cache. Throws when an owner of a gate does not answer. */
export async function readOpenGates(ctx: Ctx): Promise<SendingGate[]> {
  const [gates, workspace, sender] = await Promise.all([
    ctx.identity.getGates(ctx, {}),
    ctx.identity.getWorkspaceFacts(ctx, { workspaceId: ctx.workspaceId }),
    ctx.sending.hasEnabledSender(ctx, {}),
  ])
  return openGates({ gates, workspace, hasEnabledSender: sender.found })
}
