import { stdSerializers } from 'pino'

/** Fields in which PostgreSQL quotes whole rows, keys and statements. */
const quoting = new Set(['detail', 'where', 'internalQuery', 'query', 'sql', 'parameters'])
const address = /[^\s@"'<>()/,;:=\\]+@[\w-]+(?:\.[\w-]+)+/g
const depthMax = 5

const withoutPersonalData = (text: string): string => text.replace(/\n - detail: .*/g, '').replace(address, '[address]')

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutPersonalData(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > depthMax) return '[deeper]'
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !quoting.has(name))
      .map(([name, inside]) => [name, cleaned(inside, depth + 1)]),
  )
}

/** An error for the log: the error and its place, without the rows and addresses that a database quotes. */
export const loggedError = (error: unknown): unknown =>
  error instanceof Error ? cleaned({ ...stdSerializers.err(error) }, 0) : cleaned(error, 0)
