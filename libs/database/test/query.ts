import type { RawBuilder } from 'kysely'
import type { Em } from '../src/em.ts'

/** Returns the rows of a statement that the test does not declare. */
export async function rows<T>(em: Em, statement: RawBuilder<unknown>): Promise<T[]> {
  return (await statement.execute(em.getKysely())).rows as T[]
}

/** Executes a statement that the test does not declare. Returns how many rows it changed. */
export async function execute(em: Em, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(em.getKysely())).numAffectedRows ?? 0)
}
