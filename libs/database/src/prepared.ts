import { createHash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { Socket } from 'node:net'
import pg from 'pg'
import { isChecking, recordFields } from './statement-check.ts'

const mark = '/* prepared */ '
const heldMark = '/* held */ '
const beginMark = '/* begin */ '
const names = new Map<string, string>()

/**
 * A prepared statement: each connection parses and plans it once. For long statements on hot paths with a constant text, a plan
 * that does not depend on the values, and an explicit list of result columns. PostgreSQL still plans each execution if a value
 * changes the expected number of rows, so pass row limits and arrays as `unplanned`.
 */
export const prepared = <T>(statement: RawBuilder<T>): RawBuilder<T> => sql<T>`${sql.raw(mark)}${statement}`

/** A value that the planner does not use, so that one plan fits all values. `type` is its type in PostgreSQL. */
export const unplanned = (value: unknown, type: string): RawBuilder<unknown> =>
  // Without the second cast, `any(…)` would treat the subquery as a list of rows.
  sql`(select ${value}::${sql.raw(type)})::${sql.raw(type)}`

/**
 * A prepared statement that is sent later, together with the next statement of its transaction or with the commit. If it fails,
 * that next statement fails. Its result is not available.
 */
export const held = (statement: RawBuilder<unknown>): RawBuilder<unknown> => sql`${sql.raw(heldMark)}${statement}`

/** A held statement at the beginning of a transaction. If the transaction has no other statements, nothing is sent. */
export const atBegin = (statement: RawBuilder<unknown>): RawBuilder<unknown> => sql`${sql.raw(beginMark)}${statement}`

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  names.set(text, name)
  return name
}

type Query = (text: unknown, ...rest: unknown[]) => unknown

const nothing: pg.QueryResult = { command: '', rowCount: null, oid: 0, rows: [], fields: [] }
const isBegin = (text: string) => text === 'begin' || text.startsWith('start transaction') || text.startsWith(beginMark)
const isNamed = (text: string) => [mark, heldMark, beginMark].some((known) => text.startsWith(known))

/**
 * Names prepared statements, because kysely does not. It sends held statements and the begin of a transaction in one write with
 * the next statement, which saves two round trips for each transaction.
 */
export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    const options: pg.ClientConfig & { pipeline: true } = { ...config, pipeline: true }
    super(options)
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection
    const send = this.query.bind(this) as Query
    let waiting: [text: string, values: unknown][] = []

    const sendAs: Query = (text, values, ...rest) =>
      typeof text === 'string' && isNamed(text)
        ? send({ name: nameOf(text), text, values }, ...rest)
        : send(text, values, ...rest)
    const sendNamed: Query = (...query) => {
      const answer = sendAs(...query)
      return isChecking() && answer instanceof Promise ? answer.then(recordFields) : answer
    }

    const query: Query = (text, values, ...rest) => {
      if (typeof text === 'string' && (isBegin(text) || text.startsWith(heldMark))) {
        waiting.push([text, values])
        return Promise.resolve(nothing)
      }
      if (waiting.length === 0) return sendNamed(text, values, ...rest)
      const before = waiting
      waiting = []
      const isUnsent = isBegin(before[0]![0])
      if (isUnsent && (text === 'rollback' || (text === 'commit' && before.every(([each]) => isBegin(each)))))
        return Promise.resolve(nothing)
      stream.cork()
      const answers = [...before.map(([each, its]) => sendNamed(each, its)), sendNamed(text, values, ...rest)]
      stream.uncork()
      return Promise.all(answers).then((all) => all.at(-1))
    }
    this.query = query as typeof this.query
  }
}
