import { createHash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { Socket } from 'node:net'
import pg from 'pg'
import { ignoring } from '@lettergate/fault'
import { isChecking, recordFields } from './statement-check.ts'

const mark = '/* prepared */ '
const heldMark = '/* held */ '
const beginMark = '/* begin */ '
const aheadMark = '/* ahead */ '
const lastMark = '/* last */ '
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

/** For `Statement.later`: a prepared statement that is sent with the next one, and whose rows are one function that answers its result. */
export const ahead = (statement: RawBuilder<unknown>): RawBuilder<unknown> => sql`${sql.raw(aheadMark)}${statement}`

/**
 * A prepared statement that only reads and is the last of its transaction: the commit is sent in the same write, which saves a
 * round trip. A further statement in the transaction is an error.
 */
export const lastRead = <T>(statement: RawBuilder<T>): RawBuilder<T> => sql<T>`${sql.raw(lastMark)}${statement}`

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  names.set(text, name)
  return name
}

type Query = (text: unknown, ...rest: unknown[]) => unknown
type Result = pg.QueryResult

/** A statement that was not sent yet. */
interface Unsent {
  text: string
  values: unknown
  answered?: PromiseWithResolvers<Result>
}

const nothing: Result = { command: '', rowCount: null, oid: 0, rows: [], fields: [] }
const marks = [mark, heldMark, beginMark, aheadMark, lastMark]
const isBegin = (text: string) => text === 'begin' || text.startsWith('start transaction') || text.startsWith(beginMark)
const isNamed = (text: string) => marks.some((known) => text.startsWith(known))
const reportedElsewhere = (error: unknown) => ignoring(error, 'the next statement of the transaction reports it too')

/**
 * Names prepared statements, because kysely does not. It sends held statements and the begin of a transaction in one write with
 * the next statement, which saves two round trips for each transaction.
 */
export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    // pg hides the password of a pool from copies of its options.
    const password = config?.password === undefined ? {} : { password: config.password }
    const options: pg.ClientConfig & { pipeline: true } = { ...config, ...password, pipeline: true }
    super(options)
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection
    this.query = preparingQuery(this.query.bind(this) as Query, stream) as typeof this.query
  }
}

function preparingQuery(send: Query, stream: Socket): Query {
  let waiting: Unsent[] = []
  /** the commit that was sent with the last statement of the transaction */
  let committed: Promise<Result> | undefined
  /** whether a savepoint is open, so that its transaction goes on after a last read */
  let isNested = false

  const sendAs: Query = (text, values, ...rest) =>
    typeof text === 'string' && isNamed(text)
      ? send({ name: nameOf(text), text, values }, ...rest)
      : send(text, values, ...rest)
  const sendNamed: Query = (...query) => {
    const answer = sendAs(...query)
    return isChecking() && answer instanceof Promise ? answer.then(recordFields) : answer
  }

  /** Sends what waits and then these statements, in one write. */
  function sendTogether(...last: Parameters<Query>[]): Promise<Result>[] {
    const before = waiting
    waiting = []
    stream.cork()
    const answers = [
      ...before.map(({ text, values }) => sendNamed(text, values)),
      ...last.map((query) => sendNamed(...query)),
    ] as Promise<Result>[]
    stream.uncork()
    for (const [at, { answered }] of before.entries())
      if (answered) answers[at]!.then(answered.resolve, answered.reject)
    return answers
  }

  function sendAhead(text: string, values: unknown): Promise<Result> {
    const answered = Promise.withResolvers<Result>()
    answered.promise.catch(reportedElsewhere)
    const unsent = { text, values, answered }
    waiting.push(unsent)
    const answer = () => {
      if (waiting.includes(unsent)) Promise.all(sendTogether()).catch(reportedElsewhere)
      return answered.promise
    }
    return Promise.resolve({ ...nothing, rows: [answer] })
  }

  function sendLast(text: string, values: unknown): Promise<Result> {
    const answers = sendTogether([text, values], ['commit'])
    committed = answers.pop()!
    committed.catch(reportedElsewhere)
    return Promise.all(answers).then((all) => all.at(-1)!)
  }

  function endAfterLast(text: unknown): Promise<Result> {
    const ended = committed!
    if (text !== 'commit' && text !== 'rollback')
      return Promise.reject(new Error('a statement follows the last one of its transaction'))
    committed = undefined
    return ended
  }

  /** What a failed savepoint has not sent is not needed: it would be rolled back. */
  function forgetUnsent() {
    for (const { answered } of waiting) answered?.reject(new Error('rolled back to a savepoint'))
    waiting = []
  }

  return (text, values, ...rest) => {
    if (committed) return endAfterLast(text)
    if (typeof text === 'string') {
      if (text.startsWith('savepoint ')) isNested = true
      else if (text.startsWith('release savepoint ')) isNested = false
      else if (text.startsWith('rollback')) {
        if (isNested && text !== 'rollback') forgetUnsent()
        isNested = false
      }
      if (text.startsWith(aheadMark)) return sendAhead(text, values)
      if (text.startsWith(lastMark) && !isNested) return sendLast(text, values)
      if (isBegin(text) || text.startsWith(heldMark)) {
        waiting.push({ text, values })
        return Promise.resolve(nothing)
      }
    }
    if (waiting.length === 0) return sendNamed(text, values, ...rest)
    const isUnsent = isBegin(waiting[0]!.text)
    if (isUnsent && (text === 'rollback' || (text === 'commit' && waiting.every((each) => isBegin(each.text))))) {
      waiting = []
      return Promise.resolve(nothing)
    }
    return Promise.all(sendTogether([text, values, ...rest])).then((all) => all.at(-1))
  }
}
