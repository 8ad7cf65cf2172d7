import { defineEntity, p } from '@mikro-orm/core'
import type { Tables } from '@lettergate/database/row'
import type { ExpressionBuilder } from 'kysely'
import type { Audience } from './audience.entity.ts'

/**
 * The number of active members of an audience: the sum of its slots. Triggers on memberships maintain it, so every statement is
 * counted. Each database session writes its own slot, so that concurrent subscriptions do not wait for one row.
 */
export const AudienceMemberCount = defineEntity({
  name: 'AudienceMemberCount',
  tableName: 'audience_member_counts',
  properties: {
    workspaceId: p.uuid().primary(),
    audienceId: p.uuid().primary(),
    slot: p.smallint().primary(),
    members: p.bigint(),
  },
})

type CountTables = Tables<typeof Audience | typeof AudienceMemberCount>

/** The stored number of active members of audience a, as text; null if it never had one. */
export const activeMembers = (eb: ExpressionBuilder<CountTables & { a: CountTables['audiences'] }, 'a'>) =>
  eb
    .selectFrom('audience_member_counts as n')
    .select((sum) => sum.fn.sum<string>('n.members').as('members'))
    .whereRef('n.workspace_id', '=', 'a.workspace_id')
    .whereRef('n.audience_id', '=', 'a.id')
    .as('members')
