import { Fault } from '@lettergate/fault'

interface DatabaseError {
  code?: string
  constraint?: string
  cause?: unknown
}

/** MikroORM wraps the driver's error. The SQLSTATE is on the wrapper or on one of its causes. */
function sqlState(error: unknown): DatabaseError | undefined {
  for (
    let at = error as DatabaseError | undefined, depth = 0;
    at && depth < 5;
    at = at.cause as DatabaseError | undefined, depth += 1
  ) {
    if (typeof at.code === 'string') return at
  }
  return undefined
}

/** True if a unique constraint (with this name, if given) refused the row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const found = sqlState(error)
  return found?.code === '23505' && (constraint === undefined || found.constraint === constraint)
}

/** True if a check constraint with this name refused the row, or a trigger that acts as one. */
export function isCheckViolation(error: unknown, constraint: string): boolean {
  const found = sqlState(error)
  return found?.code === '23514' && found.constraint === constraint
}

/** Deadlock or serialisation failure: nothing was written, so a retry is safe. */
export function isRetryable(error: unknown): boolean {
  const code = sqlState(error)?.code
  return code === '40001' || code === '40P01'
}

/** The server or the network ended this connection, or it was idle in a transaction. Another connection may work. */
export function isDeadConnection(error: unknown): boolean {
  const code = sqlState(error)?.code ?? ''
  return (
    /^(57P01|57P02|25P03|ECONNRESET|EPIPE)$/.test(code) ||
    (error instanceof Error && /Connection terminated|not queryable/.test(error.message))
  )
}

const outage = /^(08|53|57P0|25P03|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/

/** Converts temporary database errors and refused text into a Fault. Other errors stay unchanged. */
export function faultOf(error: unknown): unknown {
  if (error instanceof Fault) return error
  const code = sqlState(error)?.code
  const message = error instanceof Error ? error.message : ''
  if (code === '57014' || code === '55P03') {
    return new Fault('unavailable', 'busy', 'The database was too busy to answer in time. Try again in a moment.', {
      cause: error,
    })
  }
  if (
    (code !== undefined && outage.test(code)) ||
    /Connection terminated|not queryable|timeout exceeded when trying to connect/.test(message)
  ) {
    return new Fault('unavailable', 'database', 'The database cannot be reached right now. Try again in a moment.', {
      cause: error,
    })
  }
  if (code === '22021' || code === '22P05') {
    return new Fault(
      'invalid_argument',
      'text',
      'A text contains a character that cannot be stored. Remove it and send the request again.',
      { cause: error },
    )
  }
  return error
}
