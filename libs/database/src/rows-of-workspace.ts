import { column } from './column.ts'
import type { Em } from './em.ts'
import { prepared } from './prepared.ts'
import { sql } from 'kysely'
import { statement } from './statement.ts'

const countRows = statement('count-rows-of-workspace', { rows: column.integer() })

/** A table and the column whose value is counted. An index begins with it, because no count may read a whole table. */
export interface CountedTable {
  table: string
  column: string
}

/** Counts the rows with this id, in all of these tables together. */
export async function countRowsOf(em: Em, id: string, tables: readonly CountedTable[]): Promise<number> {
  const counts = tables.map(
    ({ table, column: name }) => sql`(select count(*) from ${sql.ref(table)} where ${sql.ref(name)} = ${id}::uuid)`,
  )
  const found = await countRows.row(em, prepared(sql`select (${sql.join(counts, sql` + `)})::integer as rows`))
  return found!.rows
}
