import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { automationGate } from './automation-gate.ts'

const answerWithinMs = 2_000

/** Asks for the gate as it is now. Throws Fault `conflict` while it is closed, and `unavailable` while the gateway does not answer. */
export async function requireOpenGate(ctx: Ctx): Promise<void> {
  const { effective } = await ctx.identity.getGates(ctx, {}, { timeoutMs: answerWithinMs })
  if (effective[automationGate] === true) return
  throw new Fault(
    'conflict',
    'automation_enabled',
    'Automations are switched off on this platform. Try again when they are switched on. Nothing was changed.',
  )
}
