import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { RemoveOperatorRequest, RemoveOperatorResponseSchema } from '@lettergate/contracts/identity/v1/operators'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findOperator, lockOwners, Membership } from './membership.entity.ts'
import { requireAnotherOwner, requireOwnerFor } from './require-owner-for.ts'

/**
 * Removes an operator from this workspace, valid from their next request. Their sessions and other workspaces do not change.
 * The last owner of a workspace cannot be removed.
 */
export async function removeOperator(
  ctx: Ctx,
  { walletUserId }: RemoveOperatorRequest,
): Promise<Reply<typeof RemoveOperatorResponseSchema>> {
  const { workspaceId, caller } = ctx
  await ctx.tx(async (em) => {
    const owners = await lockOwners(em, workspaceId)
    const operator = await findOperator(em, workspaceId, walletUserId)
    if (!operator) throw new Fault('not_found', 'operator', 'There is no such operator.')
    requireOwnerFor(caller, operator.role)
    requireAnotherOwner(operator.role, owners)
    const removed = await em.nativeDelete(Membership, { workspaceId, userId: operator.user_id })
    if (removed === 0) throw new Fault('not_found', 'operator', 'There is no such operator.')
    await publish(em, AuditRecordedSchema, {
      action: 'operator_removed',
      subjectType: 'operator',
      subjectId: walletUserId,
      actor: caller.actor,
      detail: { role: operator.role },
    })
  })
  return { deleted: true }
}
