import type { GetGatesRequest, GetGatesResponseSchema } from '@lettergate/contracts/identity/v1/identity'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { readClosings } from './gate-closing.entity.ts'
import { readGates } from './platform-gate.entity.ts'

/** Longer than any event waits in the broker. */
const closingsOfMs = 8 * 86_400_000

/** The gates with stored row and ceiling, read from the database each time. Callers cache them for seconds, and treat a failed call as closed. */
export async function getGates(
  ctx: Ctx,
  { closingsOf }: GetGatesRequest,
): Promise<Reply<typeof GetGatesResponseSchema>> {
  const since = new Date(ctx.now().getTime() - closingsOfMs)
  const { gates, closings } = await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => ({
    gates: await readGates(em, ctx.ceilings),
    closings: closingsOf === '' ? [] : await readClosings(em, closingsOf, since),
  }))
  return {
    effective: Object.fromEntries(gates.map(({ name, effective }) => [name, effective])),
    ceilings: Object.fromEntries(gates.flatMap(({ name, ceiling }) => (ceiling === null ? [] : [[name, ceiling]]))),
    switches: Object.fromEntries(gates.map(({ name, stored }) => [name, stored])),
    closings: closings.map(({ closed_at: closedAt, opened_at: openedAt }) => ({
      closedAt: moment(closedAt),
      openedAt: moment(openedAt),
    })),
  }
}
