import { defineEntity, p } from '@mikro-orm/core'
import type { Tables } from '@lettergate/database/row'
import type { ExpressionBuilder } from 'kysely'
import type { Audience } from './audience.entity.ts'

/**
 * How many active members an audience has: the sum of its slots. Triggers on memberships keep it, so that no statement
 * can forget to; each database session writes a slot of its own, so that subscribers do not queue for one row.
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

type Counted = Tables<typeof Audience | typeof AudienceMemberCount>

/** How many active members audience a has, as text; null when it never had one. They are kept and not counted. */
export const activeMembers = (eb: ExpressionBuilder<Counted & { a: Counted['audiences'] }, 'a'>) =>
  eb
    .selectFrom('audience_member_counts as n')
    .select((sum) => sum.fn.sum<string>('n.members').as('members'))
    .whereRef('n.workspace_id', '=', 'a.workspace_id')
    .whereRef('n.audience_id', '=', 'a.id')
    .as('members')
