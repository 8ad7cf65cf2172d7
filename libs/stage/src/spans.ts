import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace'

export interface SpanRecorder {
  /** The ended spans, in the order of their end. */
  spans(): ReadableSpan[]
  /** The only ended span with that name; throws when there is none or more than one. */
  span(name: string): ReadableSpan
  clear(): void
  stop(): Promise<void>
}

// A tracer keeps the provider of its first span for as long as the process lives, and test files share a process. So all
// recorders share one provider, one after the other.
const exporter = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })

/** Turns on tracing for one test file, and keeps the ended spans. Call it before the first span. */
export function recordSpans(): SpanRecorder {
  exporter.reset()
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
      await provider.forceFlush()
      exporter.reset()
      trace.disable()
      context.disable()
      propagation.disable()
    },
  }
}
