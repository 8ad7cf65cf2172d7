import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, sql, type Em, type Row } from '@lettergate/database'
import { Organization } from './organization.entity.ts'
import { User } from './user.entity.ts'
import { Workspace } from './workspace.entity.ts'

/** The members of each workspace, with their roles. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    workspaceId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.string(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

/** Every workspace of one user, with archived ones, by organization and workspace slug. Needs a system transaction. */
export const membershipsOf = (em: Em, walletUserId: string) =>
  kyselyOf(em, User, Membership, Workspace, Organization)
    .selectFrom('users as u')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .select([
      'o.slug as organization',
      'w.slug as workspace',
      'w.name',
      'w.is_archived',
      'w.production_sending_enabled',
      'm.role',
    ])
    .where('u.wallet_user_id', '=', walletUserId)
    .orderBy('o.slug')
    .orderBy('w.slug')
    .execute()

export type OperatorRow = Pick<Row<typeof Membership>, 'user_id' | 'role'> &
  Pick<Row<typeof User>, 'wallet_user_id' | 'username' | 'identity_type'>

const selectOperators = (em: Em, workspaceId: string) =>
  kyselyOf(em, Membership, User)
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'u.wallet_user_id', 'u.username', 'u.identity_type', 'm.role'])
    .where('m.workspace_id', '=', workspaceId)

/** All members of one workspace, owners first. */
export const operatorsOf = (em: Em, workspaceId: string): Promise<OperatorRow[]> =>
  selectOperators(em, workspaceId)
    .orderBy(sql`array_position(array['owner', 'brand_admin', 'editor', 'analyst'], m.role)`)
    .orderBy('u.username')
    .orderBy('u.wallet_user_id')
    .execute()

export const findOperator = (em: Em, workspaceId: string, walletUserId: string): Promise<OperatorRow | undefined> =>
  selectOperators(em, workspaceId).where('u.wallet_user_id', '=', walletUserId).executeTakeFirst()

/** Locks and counts the owners of a workspace, so that two concurrent requests cannot remove the last two of them. */
export async function lockOwners(em: Em, workspaceId: string): Promise<number> {
  const owners = await kyselyOf(em, Membership)
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .orderBy('user_id')
    .forUpdate()
    .execute()
  return owners.length
}
