import type { Span } from './otlp.ts'

/** One line of the waterfall. */
export interface SpanRow {
  readonly span: Span
  /** 0 for a root, and for a span without its parent */
  readonly depth: number
  /** fractions of the trace, 0 to 1 */
  readonly offset: number
  readonly width: number
}

export interface Waterfall {
  readonly rows: readonly SpanRow[]
  readonly root: Span
  readonly start: bigint
  /** nanoseconds from the first start to the last end */
  readonly duration: bigint
  readonly services: readonly string[]
  readonly failures: number
}

/** Spans of one trace, sorted by start, as a tree: each under its parent, siblings in order of their start. */
export function waterfallOf(spans: readonly Span[]): Waterfall | undefined {
  const [first] = spans
  if (first === undefined) return undefined
  const start = first.start
  const end = spans.reduce((last, span) => (span.end > last ? span.end : last), start)
  const duration = end - start
  const share = (nanoseconds: bigint) => (duration === 0n ? 0 : Number(nanoseconds) / Number(duration))

  const known = new Set(spans.map((span) => span.spanId))
  const roots: Span[] = []
  const children = new Map<string, Span[]>()
  for (const span of spans) {
    if (span.parentId === span.spanId || !known.has(span.parentId)) roots.push(span)
    else {
      const siblings = children.get(span.parentId)
      if (siblings) siblings.push(span)
      else children.set(span.parentId, [span])
    }
  }

  const rows: SpanRow[] = []
  const seen = new Set<Span>()
  const waiting = roots.map((span) => ({ span, depth: 0 })).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { span, depth } = next
    if (seen.has(span)) continue
    seen.add(span)
    rows.push({ span, depth, offset: share(span.start - start), width: share(span.end - span.start) })
    for (const child of (children.get(span.spanId) ?? []).toReversed()) waiting.push({ span: child, depth: depth + 1 })
  }
  return {
    rows,
    root: roots.find((span) => span.parentId === '') ?? roots[0] ?? first,
    start,
    duration,
    services: [...new Set(spans.map((span) => span.service))],
    failures: spans.filter((span) => span.failed).length,
  }
}
