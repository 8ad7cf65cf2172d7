import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  ListPlatformGatesRequest,
  ListPlatformGatesResponseSchema,
  PlatformGateSchema,
} from '@lettergate/contracts/identity/v1/identity'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readGates, type Gate } from './platform-gate.entity.ts'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'

export const shownGate = (gate: Gate): Reply<typeof PlatformGateSchema> => ({
  name: gate.name,
  ceiling: gate.ceiling ?? undefined,
  stored: gate.stored,
  effective: gate.effective,
  updatedBy: gate.updatedBy ?? undefined,
  updatedAt: gate.updatedAt ? timestampFromDate(gate.updatedAt) : undefined,
})

/** Every platform gate with its ceiling, stored switch and effective value, for users who may change them. */
export async function listPlatformGates(
  ctx: Ctx,
  _request: ListPlatformGatesRequest,
): Promise<Reply<typeof ListPlatformGatesResponseSchema>> {
  requirePlatformAdministrator(ctx.caller)
  const gates = await ctx.acrossWorkspaces(ctx.caller).tx((em) => readGates(em, ctx.ceilings))
  return { gates: gates.map(shownGate) }
}
