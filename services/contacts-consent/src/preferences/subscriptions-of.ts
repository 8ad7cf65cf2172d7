import { column, columns, kyselyOf, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { Audience } from '../audiences/audience.entity.ts'
import { Membership } from '../audiences/membership.entity.ts'

/** The active subscriptions of one contact by the name of the audience, without those of archived audiences. */
export const subscriptionsOf = (em: Em, workspaceId: string, contactId: string) =>
  kyselyOf(em, Membership, Audience)
    .selectFrom('memberships as m')
    .innerJoin('audiences as a', (join) =>
      join.onRef('a.workspace_id', '=', 'm.workspace_id').onRef('a.id', '=', 'm.audience_id'),
    )
    .select(['a.id as audience_id', 'a.name as audience_name'])
    .where('m.workspace_id', '=', workspaceId)
    .where('m.contact_id', '=', contactId)
    .where('m.is_active', '=', true)
    .where('a.archived_at', 'is', null)
    .orderBy('a.name')
    .orderBy('a.id')
    .execute()

const requestedShape = {
  ...columns(Membership, 'audience_id'),
  audience_name: columns(Audience, 'name').name,
  /** there is something left to withdraw */
  is_active: column.boolean(),
  /** the person has withdrawn */
  is_withdrawn: column.boolean(),
}
const selectRequested = statement('hold-requested-subscriptions', requestedShape)

export type RequestedSubscription = RowOf<typeof requestedShape>

/**
 * The state of one contact in each of these audiences, sorted by name, including archived ones. An id of another workspace has no
 * row. The audiences are locked against deletion until the transaction ends.
 */
export const holdSubscriptions = (em: Em, workspaceId: string, contactId: string, audienceIds: readonly string[]) =>
  selectRequested.rows(
    em,
    sql`select a.id as audience_id, a.name as audience_name,
               coalesce(m.is_active or m.consent = 'granted', false) as is_active,
               coalesce(not m.is_active and m.consent = 'withdrawn', false) as is_withdrawn
          from audiences a
          left join memberships m on m.workspace_id = ${workspaceId} and m.audience_id = a.id and m.contact_id = ${contactId}
         where a.workspace_id = ${workspaceId} and a.id = any(${[...audienceIds]}::uuid[])
         order by a.name, a.id for key share of a`,
  )
