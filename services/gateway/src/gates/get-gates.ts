import type { GetGatesRequest, GetGatesResponseSchema } from '@lettergate/contracts/identity/v1/identity'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readGates } from './platform-gate.entity.ts'

/** The gates with stored row and ceiling, read from the database each time. Callers cache them for seconds, and treat a failed call as closed. */
export async function getGates(ctx: Ctx, _request: GetGatesRequest): Promise<Reply<typeof GetGatesResponseSchema>> {
  const gates = await ctx.acrossWorkspaces(ctx.caller).tx((em) => readGates(em, ctx.ceilings))
  return {
    effective: Object.fromEntries(gates.map(({ name, effective }) => [name, effective])),
    ceilings: Object.fromEntries(gates.flatMap(({ name, ceiling }) => (ceiling === null ? [] : [[name, ceiling]]))),
    switches: Object.fromEntries(gates.map(({ name, stored }) => [name, stored])),
  }
}
