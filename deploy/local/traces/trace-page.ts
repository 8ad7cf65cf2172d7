import { escapeHtml } from '@lettergate/values/html'
import { duration, layout, timeTag } from './layout.ts'
import type { AttributeValue, Span } from './otlp.ts'
import type { SpanRow, Waterfall } from './waterfall.ts'

const rowsMax = 500

/** One trace as a table: each span under its parent, with a bar for its start and duration. */
export function tracePage(
  traceId: string,
  { rows, root, start, duration: whole, services, failures }: Waterfall,
): string {
  const shown = rows.slice(0, rowsMax)
  return layout(
    `${root.name} · Traces`,
    `<section class="card"><h1>${escapeHtml(root.service)}: ${escapeHtml(root.name)}</h1>
<ul class="facts"><li><b>${rows.length}</b> ${rows.length === 1 ? 'span' : 'spans'}</li><li><b>${duration(whole)}</b> from the first start to the last end</li><li>began ${timeTag(start)}</li><li><b>${failures}</b> failed</li></ul>
<ul class="facts"><li>through ${services.map((service) => `<b>${escapeHtml(service)}</b>`).join(', ')}</li></ul>
<ul class="facts"><li><code>${traceId}</code></li><li><a href="/api/traces/${traceId}">as JSON</a></li></ul></section>
<section class="card"><table class="waterfall"><caption>Spans in order of their start, each under the one that caused it. Open one for its attributes.${
      rows.length > rowsMax ? ` The first ${rowsMax} of ${rows.length} are shown; the JSON has all.` : ''
    }</caption>
<colgroup><col class="what"><col><col class="took"></colgroup>
<thead><tr><th scope="col">Span</th><th scope="col">When</th><th scope="col" class="number">Took</th></tr></thead>
<tbody>${shown.map((row) => line(row, start)).join('\n')}</tbody></table></section>`,
  )
}

const line = ({ span, depth, offset, width }: SpanRow, start: bigint) =>
  `<tr><th scope="row" style="--depth:${depth}"><details><summary><b>${escapeHtml(span.service)}</b> ${escapeHtml(span.name)} <span class="badge">${span.kind}</span>${
    span.failed ? ' <span class="badge bad">failed</span>' : ''
  }</summary>${facts(span, start)}</details></th>
<td><div class="track" aria-hidden="true"><div class="bar ${span.kind}${span.failed ? ' bad' : ''}" style="--from:${offset.toFixed(5)};--for:${width.toFixed(5)}"></div></div></td><td class="number">${duration(span.end - span.start)}</td></tr>`

function facts(span: Span, start: bigint): string {
  const entries: [string, AttributeValue][] = [
    ['after the first start', duration(span.start - start)],
    ['span id', span.spanId],
    ...(span.parentId === '' ? [] : [['parent', span.parentId] satisfies [string, string]]),
    ...Object.entries(span.attributes),
  ]
  const links = span.links.map(({ traceId }) => `<dt>linked</dt><dd><a href="/traces/${traceId}">${traceId}</a></dd>`)
  return `<dl>${entries.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(String(value))}</dd>`).join('')}${links.join('')}</dl>`
}

export const unknownTracePage = layout(
  'No such trace',
  '<div class="card empty"><h1>This trace is not here</h1><p>It was never sent here, has not arrived yet, or newer ones took its place. <a href="/">See recent traces</a>, or wait a second and load this page again.</p></div>',
)
