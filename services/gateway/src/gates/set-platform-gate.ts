import type { SetPlatformGateRequest, SetPlatformGateResponseSchema } from '@lettergate/contracts/identity/v1/identity'
import { AuditRecordedSchema, GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { PlatformGate, readGates } from './platform-gate.entity.ts'
import { isGateName } from './gates.ts'
import { shownGate } from './list-platform-gates.ts'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'

/** Sets the stored switch of a gate and announces it to every service. The ceiling of the environment does not change. */
export async function setPlatformGate(
  ctx: Ctx,
  request: SetPlatformGateRequest,
): Promise<Reply<typeof SetPlatformGateResponseSchema>> {
  requirePlatformAdministrator(ctx.caller)
  const { name, enabled } = request
  if (!isGateName(name)) throw new Fault('not_found', 'gate', 'There is no such gate.')
  const gate = await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const before = (await readGates(em, ctx.ceilings)).find((found) => found.name === name)
    await em.upsert(PlatformGate, { name, stored: enabled, updatedBy: ctx.caller.actor, updatedAt: ctx.now() })
    const changed = (await readGates(em, ctx.ceilings)).find((found) => found.name === name)
    if (!changed) throw new Error(`the gate ${name} was written and is not there`)
    await publish(em, GateChangedSchema, { name, effective: changed.effective })
    await publish(em, AuditRecordedSchema, {
      action: 'platform_gate_set',
      subjectType: 'platform_gate',
      subjectId: name,
      actor: ctx.caller.actor,
      detail: {
        stored: enabled,
        effective: changed.effective,
        before: { stored: before?.stored ?? false, effective: before?.effective ?? false },
      },
    })
    return changed
  })
  await ctx.gatesChanged()
  return { gate: shownGate(gate) }
}
