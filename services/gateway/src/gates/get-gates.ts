import type { GetGatesRequest, GetGatesResponseSchema } from '@lettergate/contracts/identity/v1/identity'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readGates } from './platform-gate.entity.ts'

/** The gates with both their halves, read from the rows each time; callers cache for seconds and treat no answer as closed. */
export async function getGates(ctx: Ctx, _request: GetGatesRequest): Promise<Reply<typeof GetGatesResponseSchema>> {
  const gates = await ctx.acrossWorkspaces(ctx.caller).tx((em) => readGates(em, ctx.ceilings))
  return {
    effective: Object.fromEntries(gates.map(({ name, effective }) => [name, effective])),
    ceilings: Object.fromEntries(gates.flatMap(({ name, ceiling }) => (ceiling === null ? [] : [[name, ceiling]]))),
    switches: Object.fromEntries(gates.map(({ name, stored }) => [name, stored])),
  }
}
