import { createHash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { Socket } from 'node:net'
import pg from 'pg'
import { isChecking, noteFields } from './statement-check.ts'

const mark = '/* prepared */ '
const heldMark = '/* held */ '
const beginMark = '/* begin */ '
const names = new Map<string, string>()

/**
 * A statement that each connection parses and plans once: for long ones on hot paths, whose text is the same every time,
 * whose plan does not depend on its values, and which name every column that they answer. PostgreSQL plans it each time
 * nevertheless where a value lets it expect fewer rows: give numbers of rows and arrays as `unplanned`.
 */
export const prepared = <T>(statement: RawBuilder<T>): RawBuilder<T> => sql<T>`${sql.raw(mark)}${statement}`

/** A value that the planner does not look into, so that one plan fits all values. `type` is its type in PostgreSQL. */
export const unplanned = (value: unknown, type: string): RawBuilder<unknown> => sql`(select ${value}::${sql.raw(type)})`

/**
 * A prepared statement that nobody waits for: it is sent together with the next one of its transaction, the commit at the
 * latest, which fails when it failed. Its answer says nothing.
 */
export const held = (statement: RawBuilder<unknown>): RawBuilder<unknown> => sql`${sql.raw(heldMark)}${statement}`

/** A held statement that a transaction begins with; a transaction of nothing else is not sent at all. */
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
 * PostgreSQL prepares what has a name, and kysely gives none. Statements that nobody waits for are sent with the one after
 * them in one write, and so is what begins a transaction: that saves each transaction two round trips.
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
      return isChecking() && answer instanceof Promise ? answer.then(noteFields) : answer
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
