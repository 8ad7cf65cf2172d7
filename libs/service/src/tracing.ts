import { SpanKind, SpanStatusCode, context, propagation, trace, type Attributes, type Link } from '@opentelemetry/api'

export { SpanKind } from '@opentelemetry/api'

/** The active trace as headers (`traceparent`, `tracestate`), to be kept beside work that goes on later. */
export type Carrier = Record<string, string>

const tracer = trace.getTracer('lettergate')

/** Where we are in a trace, for a row or a header. Empty when nothing is traced. */
export function carrier(): Carrier {
  const headers: Carrier = {}
  propagation.inject(context.active(), headers)
  return headers
}

export interface TracedOptions {
  kind?: SpanKind
  /** continues this trace instead of the active one */
  parent?: Carrier
  /** other traces that led here, such as the rest of a batch */
  links?: readonly Carrier[]
  attributes?: Attributes
}

/** Runs work inside a span; an error marks the span and is thrown on. */
export async function traced<T>(name: string, options: TracedOptions, work: () => Promise<T>): Promise<T> {
  const { kind = SpanKind.INTERNAL, parent, attributes } = options
  const base = parent && Object.keys(parent).length > 0 ? propagation.extract(context.active(), parent) : context.active()
  const links = (options.links ?? []).flatMap((link): Link[] => {
    const spanContext = trace.getSpanContext(propagation.extract(context.active(), link))
    return spanContext ? [{ context: spanContext }] : []
  })
  return tracer.startActiveSpan(name, { kind, links, ...(attributes ? { attributes } : {}) }, base, async (span) => {
    try {
      return await work()
    } catch (error) {
      span.recordException(error as Error)
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}
