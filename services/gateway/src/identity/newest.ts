import { column, nullable, sql } from '@lettergate/database'

type Condition = ReturnType<typeof sql>

export interface Listing {
  /** of these workspaces alone; null: of all, and what concerns none */
  workspaceIds: readonly string[] | null
  /** about the columns of e */
  conditions: readonly Condition[]
  limit: number
}

/** The slugs that `newest` adds to the columns of its table. */
export const slugColumns = { organization: nullable(column.text()), workspace: nullable(column.text()) }

/** The newest rows e of a table that all the conditions name, with the slugs of their workspace. Few rows are read, however many there are. */
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
