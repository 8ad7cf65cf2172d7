import { Fault } from '@lettergate/fault'
import {
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  context,
  propagation,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
} from '@opentelemetry/api'

export { SpanKind } from '@opentelemetry/api'

/** The active trace as headers (`traceparent`, `tracestate`), to store with work that continues later. */
export type Carrier = Record<string, string>

const tracer = trace.getTracer('lettergate')

/** Whether telemetry is off: then no propagator is registered, and every span and context would be created for nothing. */
const isOff = (): boolean => propagation.fields().length === 0

/** Whether traces are recorded. */
export const isTracing = (): boolean => !isOff()

/** The active trace for a row or a header; empty without a trace. */
export function carrier(): Carrier {
  const headers: Carrier = {}
  if (!isOff()) propagation.inject(context.active(), headers)
  return headers
}

/** Whether the current work belongs to a trace. */
export const isTraced = (): boolean => trace.getActiveSpan() !== undefined

/** The active trace as the labels of an exemplar, which leads from a metric to that trace; empty unless the trace is exported. */
export function exemplar(): Record<string, string> {
  const active = trace.getActiveSpan()?.spanContext()
  return active && (active.traceFlags & TraceFlags.SAMPLED) !== 0 ? { trace_id: active.traceId } : {}
}

/** Runs work outside of any trace. */
export const untraced = <T>(work: () => T): T => context.with(ROOT_CONTEXT, work)

const continued = (headers: Carrier | undefined): Context =>
  headers && Object.keys(headers).length > 0 ? propagation.extract(context.active(), headers) : context.active()

export interface SpanOptions {
  kind?: SpanKind
  /** continues this trace instead of the active one */
  parent?: Carrier | undefined
  /** other traces that led to this span, such as those of the other items of a batch */
  links?: readonly Carrier[]
  attributes?: Attributes
}

/** A span that its owner ends, for work that is not one promise. */
export interface OpenSpan {
  readonly span: Span
  /** This span as headers, for the called service. */
  readonly carrier: Carrier
  /** Runs work inside of this span; may be called repeatedly. */
  run<T>(work: () => T): T
  /** Ends it, successfully or with the given error. */
  end(error?: unknown): void
}

/** The span of all work while telemetry is off. */
const noSpan: OpenSpan = {
  span: trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
  carrier: Object.freeze({}),
  run: (work) => work(),
  end: () => undefined,
}

/** Opens a span without making it the active one. */
export function openSpan(name: string, options: SpanOptions): OpenSpan {
  if (isOff()) return noSpan
  const { kind = SpanKind.INTERNAL, parent, attributes = {} } = options
  const base = continued(parent)
  const links = (options.links ?? []).flatMap((link): Link[] => {
    const spanContext = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, link))
    return spanContext ? [{ context: spanContext }] : []
  })
  return new Opened(tracer.startSpan(name, { kind, links, attributes }, base), kind, base)
}

/** A class, because an object literal with a getter is slow to create, and there is one for every request and event. */
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
 * Records the kind of the error, and the message only of a Fault, because other messages may quote a statement with an address.
 * For a server span a refusal is not an error.
 */
function markFailed(span: Span, kind: SpanKind, error: unknown) {
  const refused = error instanceof Fault && error.code !== 'unavailable'
  span.setAttribute('error.type', error instanceof Fault ? error.code : error instanceof Error ? error.name : 'unknown')
  if (error instanceof Fault) span.setAttribute('lettergate.fault.reason', error.reason)
  if (refused && kind === SpanKind.SERVER) return
  span.setStatus({ code: SpanStatusCode.ERROR, ...(error instanceof Fault ? { message: error.message } : {}) })
}

/** Runs work inside a span; an error marks the span and is rethrown. */
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
