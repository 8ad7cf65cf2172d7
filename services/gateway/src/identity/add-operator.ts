import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { AddOperatorRequest, AddOperatorResponseSchema } from '@lettergate/contracts/identity/v1/operators'
import { kyselyOf, newId, sql, statement } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { User } from './user.entity.ts'
import { findOperator } from './membership.entity.ts'
import { shownOperator } from './list-operators.ts'
import { parseRole, requireOwnerFor } from './require-owner-for.ts'

const insertMembership = statement('insert-membership')

/**
 * Adds a user to this workspace, valid from their next request. A user who has never signed in is stored with the id of the
 * wallet; their first sign-in replaces the name and type.
 */
export async function addOperator(
  ctx: Ctx,
  request: AddOperatorRequest,
): Promise<Reply<typeof AddOperatorResponseSchema>> {
  const { workspaceId, caller } = ctx
  const { walletUserId, username } = request
  const role = parseRole(request.role)
  requireOwnerFor(caller, role)
  return ctx.tx(async (em) => {
    await kyselyOf(em, User)
      .insertInto('users')
      .values({ id: newId(), wallet_user_id: walletUserId, username: username ?? null, identity_type: 'human' })
      .onConflict((conflict) => conflict.column('wallet_user_id').doNothing())
      .execute()
    const added = await insertMembership.execute(
      em,
      sql`insert into memberships (workspace_id, user_id, role)
          select ${workspaceId}::uuid, id, ${role} from users where wallet_user_id = ${walletUserId} on conflict do nothing`,
    )
    if (added === 0)
      throw new Fault(
        'conflict',
        'operator',
        'They are an operator of this workspace already. Change their role instead.',
      )
    await publish(em, AuditRecordedSchema, {
      action: 'operator_added',
      subjectType: 'operator',
      subjectId: walletUserId,
      actor: caller.actor,
      detail: { role },
    })
    const operator = await findOperator(em, workspaceId, walletUserId)
    return { operator: shownOperator(operator!) }
  })
}
