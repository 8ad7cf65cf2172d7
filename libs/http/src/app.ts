import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Histogram } from 'prom-client'
import { Fault } from '@lettergate/fault'
import type { Service } from '@lettergate/service'
import { exemplar } from '@lettergate/service/tracing'
import { drain } from './drain.ts'
import { errorPage, errorPagePolicy } from './error-page.ts'
import { HttpFault, faultStatus, reasonOf } from './http-fault.ts'
import { correlationIdOf, routeOf } from './request-facts.ts'
import { openRequestSpan } from './trace-request.ts'

/** Answers one request. What it throws is answered as an error page. */
export type HttpHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void> | void

const refusedMethods = new Set(['TRACE', 'TRACK', 'CONNECT'])

function requestDurations(service: Service): Histogram {
  const name = 'lettergate_http_seconds'
  return (
    (service.metrics.getSingleMetric(name) as Histogram | undefined) ??
    new Histogram({
      name,
      help: 'Time from request to answer',
      labelNames: ['method', 'route', 'status'],
      enableExemplars: true,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [service.metrics],
    })
  )
}

/**
 * The listener of a server: it traces, measures and logs each request, refuses TRACE, and answers every error as an HTML page.
 * An error that is not a Fault is logged, and the page does not show it.
 */
export function httpApp(service: Service, handle: HttpHandler): RequestListener {
  const seconds = requestDurations(service)

  async function answer(req: IncomingMessage, res: ServerResponse) {
    try {
      if (refusedMethods.has(req.method!))
        throw new HttpFault(
          405,
          'method_not_allowed',
          `This method is not offered. Use another one than ${req.method}.`,
          {
            headers: { Allow: 'GET, POST' },
          },
        )
      await handle(req, res)
    } catch (error) {
      await refuse(service, req, res, error)
    }
  }

  return (req, res) => {
    const startedAt = performance.now()
    const span = openRequestSpan(req)
    res.once('close', () => {
      span.end(res)
      const elapsed = performance.now() - startedAt
      const status = res.writableFinished ? String(res.statusCode) : 'aborted'
      const labels = { method: req.method!, route: routeOf(req), status }
      span.run(() => seconds.observe({ labels, value: elapsed / 1000, exemplarLabels: exemplar() }))
      if (service.log.isLevelEnabled('debug'))
        service.log.debug(
          {
            method: req.method,
            route: routeOf(req),
            status,
            ms: Math.round(elapsed),
            correlation_id: correlationIdOf(req),
          },
          'answered',
        )
    })
    const fail = (error: unknown) => {
      service.log.error({ err: error, correlation_id: correlationIdOf(req) }, 'an answer could not be sent')
      res.destroy()
    }
    span.run(() => void answer(req, res).catch(fail))
  }
}

/** The answer to a request for anything that does not exist, or that the caller may not see. It is the same for all of them. */
export const nothingHere = (): HttpFault =>
  new HttpFault(404, 'not_found', 'There is nothing at this address, or it is not yours to see. Check the address.')

interface Rendered {
  status: number
  /** lower_snake_case, for `X-Error-Reason` */
  reason: string
  message: string
  headers: Readonly<Record<string, string>>
  page?: HttpFault['page']
}

const reasons: Record<number, string> = { 413: 'body_too_large', 415: 'unsupported_media_type' }

/** Errors of body-parser and the router: http-errors with a status, and a type for some of them. */
function ofFramework(error: { status?: unknown; type?: unknown }): Rendered | undefined {
  const { status, type } = error
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined
  const messages: Record<number, string> = {
    400:
      type === 'entity.parse.failed'
        ? 'The body is not valid JSON. Correct it and send it again.'
        : 'The request cannot be read. Check its path, length and encoding.',
    413: 'The body is larger than this operation takes. Send less at once.',
    415: 'The content type, charset or encoding of the body is not supported. Send UTF-8 JSON unless the operation says otherwise.',
  }
  return {
    status,
    reason: reasons[status] ?? 'unreadable_request',
    message: messages[status] ?? 'The request cannot be read. Check it and send it again.',
    headers: {},
  }
}

function rendered(error: unknown): Rendered | undefined {
  if (error instanceof Fault) {
    const status = faultStatus(error)
    const headers = error instanceof HttpFault ? error.headers : {}
    const reason = reasonOf(error)
    return {
      status,
      reason,
      message: error.message,
      headers: status === 429 ? { 'Retry-After': '30', ...headers } : headers,
      page: error instanceof HttpFault ? error.page : undefined,
    }
  }
  return typeof error === 'object' && error !== null ? ofFramework(error) : undefined
}

async function sendPage(
  req: IncomingMessage,
  res: ServerResponse,
  { status, reason, message, headers, page }: Rendered,
): Promise<void> {
  await drain(req)
  // Otherwise the unread rest of the body would be parsed as the next request.
  if (!req.complete) res.setHeader('Connection', 'close')
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('X-Error-Reason', reason)
  res.setHeader('Content-Security-Policy', page?.policy ?? errorPagePolicy)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  const html = page?.html ?? errorPage({ status, message, correlationId: correlationIdOf(req) })
  res.end(req.method === 'HEAD' ? undefined : html)
}

const internalError: Rendered = {
  status: 500,
  reason: 'internal_error',
  message: 'An internal error happened and was recorded. Try again later, and tell support the reference if it stays.',
  headers: {},
}

async function refuse(service: Service, req: IncomingMessage, res: ServerResponse, error: unknown): Promise<void> {
  const page = rendered(error) ?? internalError
  if (page.status >= 500)
    service.log.error({ err: error, correlation_id: correlationIdOf(req), route: routeOf(req) }, 'request failed')
  if (res.headersSent) return void res.destroy()
  await sendPage(req, res, page)
}
