import { defineEntity, p } from '@mikro-orm/core'
import { column, sql, statement, type Em, type RowOf } from '@lettergate/database'

/** The number of active members of an audience at the end of a day of UTC; of today, when it was last stored. */
export const AudienceMemberDay = defineEntity({
  name: 'AudienceMemberDay',
  tableName: 'audience_member_days',
  properties: {
    workspaceId: p.uuid().primary(),
    audienceId: p.uuid().primary(),
    day: p.date().primary(),
    members: p.integer(),
  },
})

const today = sql`(now() at time zone 'utc')::date`
const keepToday = statement('keep-member-days')

/** Stores the members of now as those of today, for every audience of every workspace that is not archived. */
export const keepDayOfAudiences = (em: Em): Promise<number> =>
  keepToday.execute(
    em,
    // The counts are read from one small table for each audience; a deletion of the audience waits, or has happened.
    sql`insert into audience_member_days as d (workspace_id, audience_id, day, members)
        select a.workspace_id, a.id, ${today}, greatest(0, coalesce((
                 select sum(n.members) from audience_member_counts n
                  where n.workspace_id = a.workspace_id and n.audience_id = a.id), 0))
          from audiences a where a.archived_at is null
         order by a.workspace_id, a.id for key share of a
        on conflict (workspace_id, audience_id, day) do update set members = excluded.members
         where d.members <> excluded.members`,
  )

const keepDays = 400
const deleteOld = statement('delete-old-member-days')

/** Deletes up to `most` days that are older than 400 days. Answers how many. */
export const deleteOldDays = (em: Em, most: number): Promise<number> =>
  deleteOld.execute(
    em,
    sql`delete from audience_member_days d using (
          select workspace_id, audience_id, day from audience_member_days
           where day < ${today} - ${keepDays}::integer order by day limit ${most}) o
         where d.workspace_id = o.workspace_id and d.audience_id = o.audience_id and d.day = o.day`,
  )

const dayColumns = { day: column.text(), members: column.integer() }
const selectDays = statement('select-member-days', dayColumns)

/** The stored days of an audience before today, of the last 365 days, oldest first, and then today with the members of now. */
export const daysOfAudience = (
  em: Em,
  { workspaceId, audienceId }: { workspaceId: string; audienceId: string },
): Promise<RowOf<typeof dayColumns>[]> =>
  selectDays.rows(
    em,
    sql`select day::text as day, members from audience_member_days
         where workspace_id = ${workspaceId} and audience_id = ${audienceId} and day < ${today} and day > ${today} - 365
        union all
        select ${today}::text, coalesce(sum(members), 0)::integer from audience_member_counts
         where workspace_id = ${workspaceId} and audience_id = ${audienceId}
         order by day`,
  )
