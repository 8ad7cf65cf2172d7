import { Fault } from '@lettergate/fault'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  propagation,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
} from '@opentelemetry/api'

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

/** Whether the work at hand belongs to a trace. */
export const isTraced = (): boolean => trace.getActiveSpan() !== undefined

/** Runs work that belongs to no trace, whoever woke it. */
export const untraced = <T>(work: () => T): T => context.with(ROOT_CONTEXT, work)

const continued = (headers: Carrier | undefined): Context =>
  headers && Object.keys(headers).length > 0 ? propagation.extract(context.active(), headers) : context.active()

export interface SpanOptions {
  kind?: SpanKind
  /** continues this trace instead of the active one */
  parent?: Carrier | undefined
  /** other traces that led here, such as the rest of a batch */
  links?: readonly Carrier[]
  attributes?: Attributes
}

/** A span whose end its owner tells, for work that is not one promise. */
export interface OpenSpan {
  readonly span: Span
  /** Where we are inside of this span, for the other side. */
  readonly carrier: Carrier
  /** Runs work inside of this span; may be called more than once. */
  run<T>(work: () => T): T
  /** Ends it, well or with what was thrown. */
  end(error?: unknown): void
}

/** Opens a span, and leaves the active one as it is. */
export function openSpan(name: string, options: SpanOptions): OpenSpan {
  const { kind = SpanKind.INTERNAL, parent, attributes = {} } = options
  const base = continued(parent)
  const links = (options.links ?? []).flatMap((link): Link[] => {
    const spanContext = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, link))
    return spanContext ? [{ context: spanContext }] : []
  })
  return new Opened(tracer.startSpan(name, { kind, links, attributes }, base), kind, base)
}

/** A class, because an object with a getter of its own is slow to make, and there is one for every request and event. */
class Opened implements OpenSpan {
  readonly span: Span
  readonly #kind: SpanKind
  readonly #inside: Context

  constructor(span: Span, kind: SpanKind, base: Context) {
    this.span = span
    this.#kind = kind
    this.#inside = trace.setSpan(base, span)
  }

  get carrier() {
    return context.with(this.#inside, carrier)
  }

  run<T>(work: () => T): T {
    return context.with(this.#inside, work)
  }

  end(error?: unknown) {
    if (error !== undefined) markFailed(this.span, this.#kind, error)
    this.span.end()
  }
}

/**
 * Tells what kind of error it was, and the words of a Fault only: others may quote a statement with an address in it, and
 * are in the log. That a server refused is no failure of its own.
 */
function markFailed(span: Span, kind: SpanKind, error: unknown) {
  const refused = error instanceof Fault && error.code !== 'unavailable'
  span.setAttribute('error.type', error instanceof Fault ? error.code : error instanceof Error ? error.name : 'unknown')
  if (error instanceof Fault) span.setAttribute('lettergate.fault.reason', error.reason)
  if (refused && kind === SpanKind.SERVER) return
  span.setStatus({ code: SpanStatusCode.ERROR, ...(error instanceof Fault ? { message: error.message } : {}) })
}

/** Runs work inside a span; an error marks the span and is thrown on. */
export async function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const open = openSpan(name, options)
  try {
    const result = await open.run(work)
    open.end()
    return result
  } catch (error) {
    open.end(error)
    throw error
  }
}
