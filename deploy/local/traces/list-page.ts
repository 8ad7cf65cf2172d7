import { escapeHtml } from '@lettergate/values/html'
import { duration, layout, timeTag } from './layout.ts'
import type { Waterfall } from './waterfall.ts'

/** The traces with the newest spans, each with its first span. */
export function listPage(traces: readonly (readonly [traceId: string, waterfall: Waterfall])[]): string {
  if (traces.length === 0) return layout('Traces', nothingYet)
  return layout(
    'Traces',
    `<section class="card"><table><caption>The ${traces.length} latest traces, by what began them.</caption>
<thead><tr><th scope="col">Began with</th><th scope="col">At</th><th scope="col" class="number">Spans</th><th scope="col" class="number">Took</th></tr></thead>
<tbody>${traces.map(([traceId, waterfall]) => line(traceId, waterfall)).join('\n')}</tbody></table></section>`,
  )
}

const line = (traceId: string, { root, rows, start, duration: whole, failures }: Waterfall) =>
  `<tr><th scope="row"><a href="/traces/${traceId}">${escapeHtml(root.service)}: ${escapeHtml(root.name)}</a>${
    failures > 0 ? ` <span class="badge bad">${failures} failed</span>` : ''
  }</th><td>${timeTag(start)}</td><td class="number" data-of="${rows.length === 1 ? 'span' : 'spans'}">${rows.length}</td><td class="number">${duration(whole)}</td></tr>`

const nothingYet =
  '<div class="card empty"><h1>No traces yet</h1><p>Every request to the stack shows up here as one trace, a second after it ended. Start the stack with LETTERGATE_TRACES=true, then send it one.</p></div>'
