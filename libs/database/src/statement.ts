import type { RawBuilder } from 'kysely'
import type { RowOf, Shape } from './column.ts'
import type { Em } from './em.ts'
import { noteExecuted, proveShape } from './statement-check.ts'

/** A declared statement that answers rows of its shape. */
export interface Statement<Row> {
  rows(em: Em, statement: RawBuilder<unknown>): Promise<Row[]>
  /** The first row, or undefined. */
  row(em: Em, statement: RawBuilder<unknown>): Promise<Row | undefined>
}

/** A declared statement that answers no rows. */
export interface Command {
  /** Answers how many rows it changed. */
  execute(em: Em, statement: RawBuilder<unknown>): Promise<number>
}

/**
 * Declares a statement in SQL: its name, unique in the repository, and the shape of what it answers. The type of its rows
 * follows from the shape. While tests run, each result is checked against it, and each declared statement must have run.
 */
export function statement(name: string): Command
export function statement<S extends Shape>(name: string, shape: S): Statement<RowOf<S>>
export function statement(name: string, shape?: Shape): Command | Statement<unknown> {
  return shape ? answering(name, shape) : commanding(name)
}

function answering(name: string, shape: Shape): Statement<unknown> {
  const rows = async (em: Em, text: RawBuilder<unknown>) => {
    const result = await text.execute(em.getKysely())
    proveShape(name, shape, result.rows)
    return result.rows
  }
  return { rows, row: async (em, text) => (await rows(em, text))[0] }
}

const commanding = (name: string): Command => ({
  async execute(em, text) {
    const result = await text.execute(em.getKysely())
    noteExecuted(name)
    return Number(result.numAffectedRows ?? 0)
  },
})
