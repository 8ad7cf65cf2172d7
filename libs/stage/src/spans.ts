import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace'

export interface SpanRecorder {
  /** Spans that ended, in that order. */
  spans(): ReadableSpan[]
  /** The one ended span of that name; throws when there is none, or another. */
  span(name: string): ReadableSpan
  clear(): void
  stop(): Promise<void>
}

/** Switches tracing on for one test file, and keeps what ends. Call it before the first span. */
export function recordSpans(): SpanRecorder {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return {
    spans: () => exporter.getFinishedSpans(),
    span(name) {
      const found = exporter.getFinishedSpans().filter((span) => span.name === name)
      const names = exporter.getFinishedSpans().map((span) => span.name)
      if (found.length !== 1) throw new Error(`${found.length} spans are named ${name}; there are ${names.join(', ')}`)
      return found[0]!
    },
    clear: () => exporter.reset(),
    async stop() {
      await provider.shutdown()
      trace.disable()
      context.disable()
      propagation.disable()
    },
  }
}
