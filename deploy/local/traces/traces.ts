import express, { type ErrorRequestHandler, type Response } from 'express'
import { answerHealth } from '../health.ts'
import { listen, type Listening } from '../listen.ts'
import { layout, milliseconds } from './layout.ts'
import { listPage } from './list-page.ts'
import { readExport, Unreadable, type Span } from './otlp.ts'
import { createSpanStore } from './span-store.ts'
import { tracePage, unknownTracePage } from './trace-page.ts'
import { waterfallOf } from './waterfall.ts'

export interface TracesOptions {
  port?: number
  /** Spans kept in memory; the oldest are deleted. */
  spansMax?: number
}

const listed = 100

/** An OTLP/HTTP collector (JSON encoding) that keeps the newest spans and shows each trace as JSON and as a page. */
export async function startTraces(options: TracesOptions = {}): Promise<Listening> {
  const store = createSpanStore(options.spansMax ?? 100_000)
  const app = express()
  app.disable('x-powered-by')
  app.set('query parser', 'simple')

  const health = answerHealth('traces', () => ({ spans: store.size }))
  app.use((req, res, next) => void (health(req, res) || next()))

  app.post('/v1/traces', express.json({ limit: '16mb' }), (req, res) => {
    if (!req.is('json'))
      return void res
        .status(415)
        .json({ code: 3, message: 'Only the JSON encoding is taken. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json.' })
    store.add(readExport(req.body))
    res.json({ partialSuccess: {} })
  })

  app.get('/', (_req, res) => {
    const traces = store.recent(listed).flatMap((traceId) => {
      const waterfall = waterfallOf(store.trace(traceId))
      return waterfall ? [[traceId, waterfall] as const] : []
    })
    page(res, 200, listPage(traces))
  })

  app.get('/traces/:traceId', (req, res) => {
    const traceId = req.params.traceId.toLowerCase()
    const waterfall = waterfallOf(store.trace(traceId))
    page(res, waterfall ? 200 : 404, waterfall ? tracePage(traceId, waterfall) : unknownTracePage)
  })

  app.get('/api/traces/:traceId', (req, res) => {
    const traceId = req.params.traceId.toLowerCase()
    const spans = store.trace(traceId)
    if (spans.length === 0) return void res.status(404).json({ error: 'This trace is not here, or not yet.' })
    res.set('Cache-Control', 'no-store').json({ trace_id: traceId, spans: spans.map(told) })
  })

  app.use((_req, res) => page(res, 404, notFoundPage))
  const refuse: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    const status = error instanceof Unreadable ? 400 : ((error as { status?: number }).status ?? 500)
    res.status(status).json({ code: 3, message: status === 500 ? 'internal error' : (error as Error).message })
  }
  app.use(refuse)
  return listen(app, options.port)
}

/** A span for the API; times in milliseconds, exact to the microsecond. */
const told = (span: Span) => ({
  span_id: span.spanId,
  parent_span_id: span.parentId || null,
  service: span.service,
  name: span.name,
  kind: span.kind,
  start: new Date(milliseconds(span.start)).toISOString(),
  start_unix_nano: String(span.start),
  duration_ms: milliseconds(span.end - span.start),
  status: span.failed ? 'error' : 'ok',
  attributes: span.attributes,
  links: span.links.map(({ traceId, spanId }) => ({ trace_id: traceId, span_id: spanId })),
})

const page = (res: Response, status: number, html: string) =>
  void res
    .status(status)
    .set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    .set('Cache-Control', 'no-store')
    .set('X-Content-Type-Options', 'nosniff')
    .type('html')
    .send(html)

const notFoundPage = layout(
  'No such page',
  '<div class="card empty"><h1>There is no such page</h1><p><a href="/">See recent traces</a></p></div>',
)
