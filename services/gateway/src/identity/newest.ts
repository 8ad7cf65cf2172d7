import { column, nullable, sql } from '@lettergate/database'

type Condition = ReturnType<typeof sql>

export interface Listing {
  /** only of these workspaces; null: of all workspaces and of the platform */
  workspaceIds: readonly string[] | null
  /** conditions on the columns of e */
  conditions: readonly Condition[]
  limit: number
}

/** The slugs that `newest` adds to the columns of its table. */
export const slugColumns = { organization: nullable(column.text()), workspace: nullable(column.text()) }

/** The newest rows e of a table that match all conditions, with the slugs of their workspace. The cost does not depend on the number of rows. */
export function newest(table: Condition, { workspaceIds, conditions, limit }: Listing): Condition {
  const first = (all: readonly Condition[]) =>
    sql`select e.* from ${table} e ${all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`} order by e.id desc limit ${limit}`
  const page =
    workspaceIds === null
      ? first(conditions)
      : sql`select e.* from unnest(${workspaceIds}::uuid[]) as one (id)
             cross join lateral (${first([sql`e.workspace_id = one.id`, ...conditions])}) e order by e.id desc limit ${limit}`
  return sql`select page.*, o.slug as organization, w.slug as workspace
               from (${page}) page left join workspaces w on w.id = page.workspace_id left join organizations o on o.id = w.organization_id
              order by page.id desc`
}
