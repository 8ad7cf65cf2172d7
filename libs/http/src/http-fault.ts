import { Fault, httpStatusOf, type FaultCode } from '@lettergate/fault'

const codeOfStatus: Record<number, FaultCode> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  429: 'resource_exhausted',
  501: 'unavailable',
  503: 'unavailable',
}

/**
 * A fault of HTTP itself, for statuses without a FaultCode (400, 405, 413, 415, 501) or with headers such as Allow or
 * Retry-After. In other places throw a Fault.
 */
export class HttpFault extends Fault {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** replaces the standard error page and its content security policy */
  readonly page: { html: string; policy: string } | undefined

  constructor(
    status: number,
    reason: string,
    message: string,
    options: { headers?: Record<string, string>; page?: { html: string; policy: string }; cause?: unknown } = {},
  ) {
    super(codeOfStatus[status] ?? 'invalid_argument', reason, message, { cause: options.cause })
    this.name = 'HttpFault'
    this.status = status
    this.headers = options.headers ?? {}
    this.page = options.page
  }
}

/** The HTTP status of a fault at the edge. */
export const faultStatus = (fault: Fault): number =>
  fault instanceof HttpFault ? fault.status : httpStatusOf[fault.code]

const snakeCase = /^[a-z][a-z0-9_]{0,63}$/

/**
 * The reason of a fault for `X-Error-Reason`, in lower_snake_case. Every 404 has the same reason, so that an object of another
 * tenant looks like a missing one. For an invalid field it is `invalid_` and the name of the field.
 */
export function reasonOf(fault: Fault): string {
  const status = faultStatus(fault)
  if (status === 404) return 'not_found'
  const isField = fault.code === 'invalid_argument' && status === 422
  const word = (isField ? fault.reason.split(/[.[]/, 1)[0]! : fault.reason).toLowerCase().replaceAll('-', '_')
  if (!snakeCase.test(word)) return isField ? 'invalid_request' : fault.code
  return isField && !word.startsWith('invalid_') ? `invalid_${word}` : word
}
