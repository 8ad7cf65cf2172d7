import { rows, sql, type Em } from '@lettergate/database'

interface Subscription {
  audience_id: string
  audience_name: string
}

/** The active subscriptions of one contact by the name of the audience, without those of archived audiences. */
export const subscriptionsOf = (em: Em, workspaceId: string, contactId: string) =>
  rows<Subscription>(
    em,
    sql`select a.id as audience_id, a.name as audience_name
          from memberships m
          join audiences a on a.workspace_id = m.workspace_id and a.id = m.audience_id
         where m.workspace_id = ${workspaceId} and m.contact_id = ${contactId} and m.is_active and a.archived_at is null
         order by a.name, a.id`,
  )

export interface AskedSubscription extends Subscription {
  /** there is something left to withdraw */
  is_active: boolean
  /** the person has withdrawn */
  is_withdrawn: boolean
}

/**
 * Where one contact stands with each of these audiences, by name, archived ones included; an id of another workspace has
 * no row. The audiences are held until the transaction ends: they cannot be deleted meanwhile.
 */
export const holdSubscriptions = (em: Em, workspaceId: string, contactId: string, audienceIds: readonly string[]) =>
  rows<AskedSubscription>(
    em,
    sql`select a.id as audience_id, a.name as audience_name,
               coalesce(m.is_active or m.consent = 'granted', false) as is_active,
               coalesce(not m.is_active and m.consent = 'withdrawn', false) as is_withdrawn
          from audiences a
          left join memberships m on m.workspace_id = ${workspaceId} and m.audience_id = a.id and m.contact_id = ${contactId}
         where a.workspace_id = ${workspaceId} and a.id = any(${[...audienceIds]}::uuid[])
         order by a.name, a.id for key share of a`,
  )
