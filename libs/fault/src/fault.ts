/** What a caller can understand and act on. Everything else that is thrown is a bug and is answered as "internal error". */
export type FaultCode =
  | 'invalid_argument'
  | 'unauthenticated'
  | 'permission_denied'
  | 'not_found'
  | 'conflict'
  | 'failed_precondition'
  | 'resource_exhausted'
  | 'unavailable'

/**
 * The one error type that crosses service borders. `reason` is stable and short (a field name or a snake_case word);
 * `message` is a sentence safe for strangers that says what to do. The cause stays in this process's log.
 */
export class Fault extends Error {
  readonly code: FaultCode
  readonly reason: string

  constructor(code: FaultCode, reason: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'Fault'
    this.code = code
    this.reason = reason
  }
}

/** The HTTP status that a fault is answered with at the edge. */
export const httpStatusOf: Record<FaultCode, number> = {
  invalid_argument: 422,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  failed_precondition: 422,
  resource_exhausted: 429,
  unavailable: 503,
}

/** Swallows an error on purpose; the reason is for the reader. */
export function ignoring(_error: unknown, _why: string): void {}
