import { defineEntity, p } from '@mikro-orm/core'
import { row, rows, sql, type Em } from '@lettergate/database'
import type { WorkspaceRow } from './workspace.entity.ts'

/** Who may act in a workspace, and as what. */
export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    workspaceId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.string(),
    createdAt: p.datetime(),
  },
})

export type MembershipRow = WorkspaceRow & { role: string }

/** Every workspace of one user, archived ones included, by organization and workspace slug. Needs a system transaction. */
export const membershipsOf = (em: Em, walletUserId: string): Promise<MembershipRow[]> =>
  rows<MembershipRow>(
    em,
    sql`select w.id, o.slug as organization, w.slug as workspace, w.name, w.is_archived, w.production_sending_enabled, m.role
          from users u join memberships m on m.user_id = u.id join workspaces w on w.id = m.workspace_id
          join organizations o on o.id = w.organization_id
         where u.wallet_user_id = ${walletUserId} order by o.slug, w.slug`,
  )

export interface OperatorRow {
  user_id: string
  wallet_user_id: string
  username: string | null
  identity_type: string
  role: string
}

const operators = (workspaceId: string) =>
  sql`select m.user_id, u.wallet_user_id, u.username, u.identity_type, m.role
        from memberships m join users u on u.id = m.user_id where m.workspace_id = ${workspaceId}::uuid`

/** Everybody of one workspace, owners first. */
export const operatorsOf = (em: Em, workspaceId: string): Promise<OperatorRow[]> =>
  rows<OperatorRow>(
    em,
    sql`${operators(workspaceId)}
         order by array_position(array['owner', 'brand_admin', 'editor', 'analyst'], m.role), u.username, u.wallet_user_id`,
  )

export const findOperator = (em: Em, workspaceId: string, walletUserId: string): Promise<OperatorRow | undefined> =>
  row<OperatorRow>(em, sql`${operators(workspaceId)} and u.wallet_user_id = ${walletUserId}`)

/** How many owners a workspace has. They stay as they are until the transaction ends: two that remove each other would leave none. */
export async function lockOwners(em: Em, workspaceId: string): Promise<number> {
  const owners = await rows<{ user_id: string }>(
    em,
    sql`select user_id from memberships where workspace_id = ${workspaceId}::uuid and role = 'owner' order by user_id for update`,
  )
  return owners.length
}
