import { randomUUID } from 'node:crypto'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { Histogram } from 'prom-client'
import { Fault } from '@lettergate/fault'
import type { Service } from '@lettergate/service'
import { drain } from './drain.ts'
import { errorPage, errorPagePolicy } from './error-page.ts'
import { HttpFault, faultStatus, reasonOf } from './http-fault.ts'
import { tracedRequest } from './trace-request.ts'

export const correlationIdPattern = /^[A-Za-z0-9._-]{8,128}$/

const correlationIds = new WeakMap<Request, string>()
const hosts = new WeakMap<Express, Service>()

/** The correlation id of a request: the caller's own when it is well formed, else one made here; the same on every call. */
export function correlationIdOf(req: Request): string {
  const known = correlationIds.get(req)
  if (known !== undefined) return known
  const given = req.headers['x-correlation-id']
  const id = typeof given === 'string' && correlationIdPattern.test(given) ? given : randomUUID()
  correlationIds.set(req, id)
  return id
}

const securityHeaders = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const refusedMethods = new Set(['TRACE', 'TRACK', 'CONNECT'])

/** Never the path itself: it may carry a token or an address. */
const routeOf = (req: Request): string => {
  const route: unknown = (req as { route?: { path?: unknown } }).route?.path
  return typeof route === 'string' ? `${req.baseUrl}${route}` : 'none'
}

function observed(service: Service): RequestHandler {
  const name = 'lettergate_http_seconds'
  const seconds =
    (service.metrics.getSingleMetric(name) as Histogram | undefined) ??
    new Histogram({
      name,
      help: 'Time from request to answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [service.metrics],
    })
  return (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const elapsed = performance.now() - startedAt
      const status = res.writableFinished ? String(res.statusCode) : 'aborted'
      seconds.observe({ method: req.method, route: routeOf(req), status }, elapsed / 1000)
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
    next()
  }
}

/**
 * An express app that answers every request with a correlation id and security headers, refuses TRACE, and parses no
 * body and no nested query by itself. Add routes, then call finishApp.
 */
export function httpApp(service: Service): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.set('case sensitive routing', true)
  app.use(tracedRequest(routeOf))
  app.use((req, res, next) => {
    res.setHeader('X-Correlation-ID', correlationIdOf(req))
    for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value)
    if (!refusedMethods.has(req.method)) return next()
    next(
      new HttpFault(405, 'method_not_allowed', `This method is not offered. Use another one than ${req.method}.`, {
        headers: { Allow: 'GET, POST' },
      }),
    )
  })
  app.use(observed(service))
  hosts.set(app, service)
  return app
}

interface Rendered {
  status: number
  /** lower_snake_case, for `X-Error-Reason` */
  reason: string
  message: string
  headers: Readonly<Record<string, string>>
  page?: HttpFault['page']
}

const reasons: Record<number, string> = { 413: 'body_too_large', 415: 'unsupported_media_type' }

/** What body-parser and the router throw: http-errors with a status, and a type where it matters. */
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
  req: Request,
  res: Response,
  { status, reason, message, headers, page }: Rendered,
): Promise<void> {
  await drain(req)
  // What is left of a body nobody read would be taken for the next request.
  if (!req.complete) res.setHeader('Connection', 'close')
  res.status(status)
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('X-Error-Reason', reason)
  res.setHeader('Content-Security-Policy', page?.policy ?? errorPagePolicy)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  const html = page?.html ?? errorPage({ status, message, correlationId: correlationIdOf(req) })
  res.end(req.method === 'HEAD' ? undefined : html)
}

/** Ends an app: unknown routes are 404, and every error is an HTML page; what is no Fault is logged and says nothing of itself. */
export function finishApp(app: Express): void {
  const service = hosts.get(app)
  if (service === undefined) throw new Error('finishApp takes an app that httpApp made')
  app.use((req, res) => {
    void sendPage(req, res, {
      status: 404,
      reason: 'not_found',
      message: 'There is nothing at this address, or it is not yours to see. Check the address.',
      headers: {},
    })
  })
  const onError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
    const page = rendered(error) ?? {
      status: 500,
      reason: 'internal_error',
      message:
        'An internal error happened and was recorded. Try again later, and tell support the reference if it stays.',
      headers: {},
    }
    if (page.status >= 500)
      service.log.error({ err: error, correlation_id: correlationIdOf(req), route: routeOf(req) }, 'request failed')
    if (res.headersSent) return void res.destroy()
    void sendPage(req, res, page)
  }
  app.use(onError)
}
