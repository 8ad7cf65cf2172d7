// Preload: node --import @lettergate/service/telemetry src/main.ts
// Off, without cost, unless OTEL_EXPORTER_OTLP_ENDPOINT is set. It must run before the imports of the libraries that it instruments.
// The libs make the spans of HTTP, gRPC, events and outgoing calls; only SQL statements are instrumented here.
import { onTelemetryStop } from './telemetry-state.ts'
import { withoutLiterals } from './sql-text.ts'

// The only variable outside a config.ts, because the preload runs before the configuration is read.
if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT) {
  const { register, supportsSyncHooks } = await import('import-in-the-middle/register-hooks.mjs')
  if (!supportsSyncHooks()) throw new Error('Node 24.11.1 or newer is needed for tracing')
  register({ include: ['pg', 'pg-pool'] })
  const [{ NodeSDK }, { PgInstrumentation }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-pg'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const sdk = new NodeSDK({
    traceExporter: new OTLPTraceExporter(),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [
      new PgInstrumentation({
        requireParentSpan: true,
        ignoreConnectSpans: true,
        requestHook: (span, { query }) => void span.setAttribute('db.query.text', withoutLiterals(query.text)),
      }),
    ],
  })
  sdk.start()
  onTelemetryStop(() => sdk.shutdown())
}
