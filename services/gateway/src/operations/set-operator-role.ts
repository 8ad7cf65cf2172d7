import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { SetOperatorRoleRequest, SetOperatorRoleResponseSchema } from '@lettergate/contracts/identity/v1/operators'
import { execute, rows, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findOperator } from '../db/memberships.ts'
import { shownOperator } from './list-operators.ts'
import { parseRole, requireOwnerFor } from './require-owner-for.ts'

/** Changes what an operator may do, from their next request on. The last owner of a workspace stays one. */
export async function setOperatorRole(
  ctx: Ctx,
  request: SetOperatorRoleRequest,
): Promise<Reply<typeof SetOperatorRoleResponseSchema>> {
  const { workspaceId, caller } = ctx
  const { walletUserId } = request
  const role = parseRole(request.role)
  requireOwnerFor(caller, role)
  return ctx.tx(async (em) => {
    // One at a time: two owners who demote each other would leave none.
    const owners = await rows<{ user_id: string }>(
      em,
      sql`select user_id from memberships where workspace_id = ${workspaceId}::uuid and role = 'owner' order by user_id for update`,
    )
    const operator = await findOperator(em, workspaceId, walletUserId)
    if (!operator) throw new Fault('not_found', 'operator', 'There is no such operator.')
    requireOwnerFor(caller, operator.role)
    if (operator.role === role) return { operator: shownOperator(operator) }
    if (operator.role === 'owner' && owners.length === 1)
      throw new Fault(
        'failed_precondition',
        'last_owner',
        'This workspace has no other owner. Make somebody else one first.',
      )
    await execute(
      em,
      sql`update memberships set role = ${role} where workspace_id = ${workspaceId}::uuid and user_id = ${operator.user_id}::uuid`,
    )
    await publish(em, AuditRecordedSchema, {
      action: 'operator_role_set',
      subjectType: 'operator',
      subjectId: walletUserId,
      actor: caller.actor,
      detail: { role, before: operator.role },
    })
    return { operator: shownOperator({ ...operator, role }) }
  })
}
