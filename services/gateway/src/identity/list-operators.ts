import type {
  ListOperatorsRequest,
  ListOperatorsResponseSchema,
  OperatorSchema,
} from '@lettergate/contracts/identity/v1/operators'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { operatorsOf, type OperatorRow } from './membership.entity.ts'

export const shownOperator = (operator: OperatorRow): Reply<typeof OperatorSchema> => ({
  walletUserId: operator.wallet_user_id,
  username: operator.username ?? undefined,
  identityType: operator.identity_type,
  role: operator.role,
})

/** All members of this workspace, owners first. */
export async function listOperators(
  ctx: Ctx,
  _request: ListOperatorsRequest,
): Promise<Reply<typeof ListOperatorsResponseSchema>> {
  const found = await ctx.tx((em) => operatorsOf(em, ctx.workspaceId))
  return { operators: found.map(shownOperator) }
}
