import type { Span } from './otlp.ts'

export interface SpanStore {
  readonly size: number
  add(spans: readonly Span[]): void
  /** In order of their start; empty when the trace is unknown or deleted. */
  trace(traceId: string): Span[]
  /** Ids of traces, those with the newest spans first. */
  recent(limit: number): string[]
}

/**
 * Keeps the newest spans, between half of `spansMax` and all of it. There are two generations: when the newer one is full,
 * the older one is deleted.
 */
export function createSpanStore(spansMax: number): SpanStore {
  let young = new Map<string, Span[]>()
  let old = new Map<string, Span[]>()
  let youngSize = 0
  let oldSize = 0

  const put = (span: Span) => {
    if (youngSize >= spansMax / 2) {
      old = young
      oldSize = youngSize
      young = new Map()
      youngSize = 0
    }
    const spans = young.get(span.traceId) ?? []
    spans.push(span)
    // Deleted first, so that the map stays in order of the last span.
    young.delete(span.traceId)
    young.set(span.traceId, spans)
    youngSize += 1
  }

  return {
    get size() {
      return youngSize + oldSize
    },
    add: (spans) => spans.forEach(put),
    trace: (traceId) => [...(old.get(traceId) ?? []), ...(young.get(traceId) ?? [])].toSorted(byStart),
    recent: (limit) => [...new Set([...young.keys()].reverse().concat([...old.keys()].reverse()))].slice(0, limit),
  }
}

const byStart = (one: Span, other: Span) => (one.start < other.start ? -1 : one.start > other.start ? 1 : 0)
