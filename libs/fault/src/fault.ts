/** Errors that a caller can understand and act on. Every other error is a bug and is answered as "internal error". */
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
 * `message` is safe for every caller and says what to do. The cause is only in the log of this process.
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

/** Whether a service or the database cannot be reached now, so that the same call can succeed later. */
export const isOutage = (error: unknown): error is Fault => error instanceof Fault && error.code === 'unavailable'

/** The refusal of a process that ends. */
export const stopping = (): Fault =>
  new Fault('unavailable', 'stopping', 'This server is about to stop. Send the request again.')

/** The HTTP status of each code at the edge. */
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

/** Ignores an error on purpose; `why` is documentation. */
export function ignoring(_error: unknown, _why: string): void {}
