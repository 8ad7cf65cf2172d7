// Preload: node --import @lettergate/service/telemetry src/main.ts
// Off, and free, unless OTEL_EXPORTER_OTLP_ENDPOINT is set. Must run before anything it instruments is imported.
import { onTelemetryStop } from './telemetry-state.ts'

// The one variable outside a config.ts: the preload runs before any configuration is read.
if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT) {
  const { register, supportsSyncHooks } = await import('import-in-the-middle/register-hooks.mjs')
  if (!supportsSyncHooks()) throw new Error('Node 24.11.1 or newer is needed for tracing')
  register({ include: ['http', 'node:http', 'https', 'node:https', 'express', '@grpc/grpc-js', 'pg', 'pg-pool', 'pino'] })
  const [{ NodeSDK }, http, express, grpc, pg, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-express'),
    import('@opentelemetry/instrumentation-grpc'),
    import('@opentelemetry/instrumentation-pg'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const sdk = new NodeSDK({
    traceExporter: new OTLPTraceExporter(),
    instrumentations: [
      new http.HttpInstrumentation({ ignoreIncomingRequestHook: (request) => /^\/(healthz|readyz|metrics)/.test(request.url ?? '') }),
      new express.ExpressInstrumentation(),
      new grpc.GrpcInstrumentation(),
      new pg.PgInstrumentation({ requireParentSpan: true }),
    ],
  })
  sdk.start()
  onTelemetryStop(() => sdk.shutdown())
}
