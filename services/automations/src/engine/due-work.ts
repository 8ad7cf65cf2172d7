import { column, nullable, sql, statement, type Em } from '@lettergate/database'

/** Most due enrollments that are counted in one workspace. */
export const countedMax = 100_000

const selectDue = statement('count-due-enrollments', { due: column.integer(), oldest: nullable(column.double()) })

/** How many enrollments are due, and for how many seconds the oldest has been. Reads only due entries of the index: for each workspace its first ones. */
export const readDueWork = async (em: Em): Promise<{ due: number; oldest: number | null }> =>
  (await selectDue.row(
    em,
    sql`with recursive w as (
          (select workspace_id, due_at from due_enrollments order by workspace_id, due_at limit 1)
          union all
          select next.workspace_id, next.due_at from w, lateral
            (select workspace_id, due_at from due_enrollments where workspace_id > w.workspace_id order by workspace_id, due_at limit 1) next)
        select coalesce(sum(found.count), 0)::int as due, extract(epoch from now() - min(w.due_at))::float8 as oldest
          from w cross join lateral (
            select count(*) from (select from due_enrollments d where d.workspace_id = w.workspace_id and d.due_at <= now() limit ${countedMax}) d) found
         where w.due_at <= now()`,
  ))!
