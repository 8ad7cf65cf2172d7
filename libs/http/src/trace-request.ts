import { SpanStatusCode } from '@opentelemetry/api'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SpanKind, openSpan } from '@lettergate/service/tracing'
import { routeOf } from './request-facts.ts'

/**
 * The request as a SERVER span that continues the trace of the caller. The span has the route, but never the path, the query or
 * the client's address, which may contain a token or personal data.
 */
export function openRequestSpan(req: IncomingMessage): { run(work: () => void): void; end(res: ServerResponse): void } {
  const { traceparent, tracestate } = req.headers
  const open = openSpan(req.method!, {
    kind: SpanKind.SERVER,
    parent:
      typeof traceparent === 'string'
        ? { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) }
        : undefined,
    attributes: { 'http.request.method': req.method!, 'network.protocol.version': req.httpVersion },
  })
  return {
    run: (work) => open.run(work),
    end(res) {
      const { span } = open
      const route = routeOf(req)
      if (route !== 'none') span.updateName(`${req.method} ${route}`).setAttribute('http.route', route)
      if (res.writableFinished) span.setAttribute('http.response.status_code', res.statusCode)
      const failure = !res.writableFinished ? 'unanswered' : res.statusCode >= 500 ? String(res.statusCode) : undefined
      if (failure !== undefined) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR })
      open.end()
    },
  }
}
