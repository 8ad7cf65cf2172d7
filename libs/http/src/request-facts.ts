import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const correlationIdPattern = /^[A-Za-z0-9._-]{8,128}$/

// Properties of the request: a WeakMap with an entry for each request makes garbage collection expensive.
const correlationId = Symbol('correlation id')
const route = Symbol('route')
type Known = IncomingMessage & { [correlationId]?: string; [route]?: string }

/** The correlation id of a request: the one of the caller if it is well formed, otherwise a new one; the same on every call. */
export const correlationIdOf = (req: Known): string => (req[correlationId] ??= givenOrNew(req))

function givenOrNew({ headers }: IncomingMessage): string {
  const given = headers['x-correlation-id']
  return typeof given === 'string' && correlationIdPattern.test(given) ? given : randomUUID()
}

/** Sets the route of a request for metrics, logs and traces. Never its path, which may contain a token or an address. */
export const noteRoute = (req: Known, pattern: string): void => void (req[route] = pattern)

export const routeOf = (req: Known): string => req[route] ?? 'none'
