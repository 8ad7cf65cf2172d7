import { createHash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import pg from 'pg'

const mark = '/* prepared */ '
const names = new Map<string, string>()

/**
 * A statement that each connection parses and plans once: for long ones on hot paths, whose text is the same every time,
 * whose plan does not depend on its values, and which name every column that they answer.
 */
export const prepared = <T>(statement: RawBuilder<T>): RawBuilder<T> => sql<T>`${sql.raw(mark)}${statement}`

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  names.set(text, name)
  return name
}

type Query = (text: unknown, ...rest: unknown[]) => unknown

/** PostgreSQL prepares what has a name, and kysely gives none. */
export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const query = this.query.bind(this) as Query
    const named: Query = (text, values, ...rest) =>
      typeof text === 'string' && text.startsWith(mark)
        ? query({ name: nameOf(text), text, values }, ...rest)
        : query(text, values, ...rest)
    this.query = named as typeof this.query
  }
}
