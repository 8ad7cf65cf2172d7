import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { SetOperatorRoleRequest, SetOperatorRoleResponseSchema } from '@lettergate/contracts/identity/v1/operators'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findOperator, lockOwners, Membership } from './membership.entity.ts'
import { shownOperator } from './list-operators.ts'
import { parseRole, requireAnotherOwner, requireOwnerFor } from './require-owner-for.ts'

/** Changes the role of an operator, valid from their next request. The last owner of a workspace keeps the role. */
export async function setOperatorRole(
  ctx: Ctx,
  request: SetOperatorRoleRequest,
): Promise<Reply<typeof SetOperatorRoleResponseSchema>> {
  const { workspaceId, caller } = ctx
  const { walletUserId } = request
  const role = parseRole(request.role)
  requireOwnerFor(caller, role)
  return ctx.tx(async (em) => {
    const owners = await lockOwners(em, workspaceId)
    const operator = await findOperator(em, workspaceId, walletUserId)
    if (!operator) throw new Fault('not_found', 'operator', 'There is no such operator.')
    requireOwnerFor(caller, operator.role)
    if (operator.role === role) return { operator: shownOperator(operator) }
    requireAnotherOwner(operator.role, owners)
    await em.nativeUpdate(Membership, { workspaceId, userId: operator.user_id }, { role })
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
