import { SpanStatusCode } from '@opentelemetry/api'
import type { Request, RequestHandler } from 'express'
import { SpanKind, openSpan } from '@lettergate/service/tracing'

/**
 * Middleware: the request as a SERVER span that continues the caller's trace. The span tells the route, never the path, the
 * query or where the request came from: those may hold a token, an address, a person.
 */
export function tracedRequest(routeOf: (req: Request) => string): RequestHandler {
  return (req, res, next) => {
    const { traceparent, tracestate } = req.headers
    const open = openSpan(req.method, {
      kind: SpanKind.SERVER,
      parent:
        typeof traceparent === 'string'
          ? { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) }
          : undefined,
      attributes: { 'http.request.method': req.method, 'network.protocol.version': req.httpVersion },
    })
    const { span } = open
    res.once('close', () => {
      const route = routeOf(req)
      if (route !== 'none') span.updateName(`${req.method} ${route}`).setAttribute('http.route', route)
      if (res.writableFinished) span.setAttribute('http.response.status_code', res.statusCode)
      const failure = !res.writableFinished ? 'unanswered' : res.statusCode >= 500 ? String(res.statusCode) : undefined
      if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
      open.end()
    })
    open.run(next)
  }
}
