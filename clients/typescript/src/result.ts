/** The answer of an operation. Nothing is thrown for an answer of the service, nor for one that did not arrive. */
export type Result<Output> = Success<Output> | Failure

export interface Success<Output> {
  ok: true
  status: number
  data: Output
  correlationId: string
}

export interface Failure {
  ok: false
  /** the HTTP status; 0 when no answer arrived */
  status: number
  /** stable and lower_snake_case, from `X-Error-Reason`; `unreachable`, `timeout` or `cancelled` when no answer arrived */
  reason: string
  /** one sentence or more for people, that say what to do; each line is a separate problem */
  message: string
  /** for support: every log line of the request has it */
  correlationId: string
  /** seconds to wait before the next request, when the service says so */
  retryAfter?: number
}

/** A failed operation as an exception, for code that has nothing to do without the answer. */
export class LettergateError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`${failure.message} (${failure.status} ${failure.reason}, reference ${failure.correlationId})`)
    this.name = 'LettergateError'
    this.failure = failure
  }
}

/** The data of a success; a failure is thrown as a LettergateError. */
export function dataOf<Output>(result: Result<Output>): Output {
  if (!result.ok) throw new LettergateError(result)
  return result.data
}
