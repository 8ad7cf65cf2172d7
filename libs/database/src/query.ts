import type { RawBuilder } from 'kysely'
import type { Em } from './em.ts'

/** Every row of a set-based statement, columns as named in SQL. timestamptz and bigint arrive as strings. */
export async function rows<T>(em: Em, statement: RawBuilder<unknown>): Promise<T[]> {
  return (await statement.execute(em.getKysely())).rows as T[]
}

/** The first row, or undefined. */
export async function row<T>(em: Em, statement: RawBuilder<unknown>): Promise<T | undefined> {
  return (await rows<T>(em, statement))[0]
}

/** Runs a statement and answers how many rows it changed. */
export async function execute(em: Em, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(em.getKysely())).numAffectedRows ?? 0)
}
