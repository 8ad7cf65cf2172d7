import type { RawBuilder } from 'kysely'
import type { RowOf, Shape } from './column.ts'
import type { QueryResult } from 'pg'
import type { Em } from './em.ts'
import { ahead } from './prepared.ts'
import { recordExecuted, checkShape } from './statement-check.ts'

/** A fragment of SQL with its parameters. */
export type Sql = RawBuilder<unknown>

/** A declared statement that returns rows of its shape. */
export interface Statement<Row> {
  rows(em: Em, statement: Sql): Promise<Row[]>
  /** The first row, or undefined. */
  row(em: Em, statement: Sql): Promise<Row | undefined>
  /**
   * Prepares the statement and sends it in one write with the next statement of the transaction, which saves a round trip. The
   * returned function answers the rows. If the statement fails, the next one fails too.
   */
  rowsLater(em: Em, statement: Sql): Promise<() => Promise<Row[]>>
  /** The same for the first row, or undefined. */
  rowLater(em: Em, statement: Sql): Promise<() => Promise<Row | undefined>>
}

/** A declared statement that answers only how many rows it changed. */
export interface CountedStatement {
  /** Answers how many rows it changed. */
  execute(em: Em, statement: Sql): Promise<number>
}

/**
 * Declares an SQL statement: its name, unique in the repository, and the shape of its result. The type of the rows is derived
 * from the shape. In tests, each result is checked against the shape, and each declared statement must run at least once.
 */
export function statement(name: string): CountedStatement
export function statement<S extends Shape>(name: string, shape: S): Statement<RowOf<S>>
export function statement(name: string, shape?: Shape): CountedStatement | Statement<unknown> {
  return shape ? rowStatement(name, shape) : countedStatement(name)
}

function rowStatement(name: string, shape: Shape): Statement<unknown> {
  const rows = async (em: Em, text: Sql) => {
    const result = await text.execute(em.getKysely())
    checkShape(name, shape, result.rows)
    return result.rows
  }
  const rowsLater = async (em: Em, text: Sql) => {
    const [answer] = (await ahead(text).execute(em.getKysely())).rows as [() => Promise<QueryResult>]
    return async () => {
      const result = await answer()
      checkShape(name, shape, result.rows)
      return result.rows as unknown[]
    }
  }
  const rowLater = async (em: Em, text: Sql) => {
    const later = await rowsLater(em, text)
    return async () => (await later())[0]
  }
  return { rows, row: async (em, text) => (await rows(em, text))[0], rowsLater, rowLater }
}

const countedStatement = (name: string): CountedStatement => ({
  async execute(em, text) {
    const result = await text.execute(em.getKysely())
    recordExecuted(name)
    return Number(result.numAffectedRows ?? 0)
  },
})
