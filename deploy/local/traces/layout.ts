import { escapeHtml } from '@lettergate/values/html'
import { pageStyle } from '../html.ts'

const style = `${pageStyle}
header.top { background: var(--card); border-bottom: 1px solid var(--line); }
header.top > div, main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
header.top a { font-weight: 700; font-size: 1.1rem; color: inherit; text-decoration: none; } header.top span { color: var(--soft); font-weight: 400; }
main { overflow-wrap: anywhere; }
.soft { color: var(--soft); } code { font: .85em/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem; margin-bottom: 1rem; }
.empty { text-align: center; padding: 3rem 1rem; } .empty p { color: var(--soft); max-width: 34rem; margin: .5rem auto; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0 0; padding: 0; list-style: none; color: var(--soft); } .facts b { color: var(--ink); font-variant-numeric: tabular-nums; }
.badge { font-size: .78rem; font-weight: 600; padding: .1rem .5rem; border-radius: 99px; background: var(--tint); color: var(--accent); white-space: nowrap; } .badge.bad { background: var(--bad-bg); color: var(--bad); }
table { width: 100%; border-collapse: collapse; } .waterfall { table-layout: fixed; } caption { text-align: left; color: var(--soft); padding-bottom: .5rem; }
thead th { text-align: left; font-weight: 600; color: var(--soft); font-size: .85rem; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid var(--line); }
tbody th, tbody td { text-align: left; font-weight: 400; vertical-align: top; padding: .3rem .5rem .3rem 0; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.waterfall col.what { width: 46%; } .waterfall col.took { width: 6rem; } .waterfall tbody th { padding-left: calc(min(var(--depth), 14) * .85rem); }
.waterfall summary { cursor: pointer; } .waterfall summary b { font-weight: 600; }
.waterfall dl { display: grid; grid-template-columns: minmax(6rem, auto) minmax(0, 1fr); gap: .1rem .75rem; margin: .4rem 0 .4rem 1rem; font-size: .85rem; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.track { position: relative; height: 1.1rem; margin-top: .2rem; background: linear-gradient(90deg, var(--line) 1px, transparent 1px) 0 0 / 25% 100%; }
.bar { position: absolute; inset-block: .2rem; left: calc(var(--from) * 100%); width: max(3px, calc(var(--for) * 100%)); background: var(--accent); border-radius: 3px; } .bar.bad { background: var(--bad); }
.bar.internal { background: var(--soft); } .bar.producer, .bar.consumer { background: var(--warn); } .bar.server { background: var(--good); } .bar.internal.bad, .bar.producer.bad, .bar.consumer.bad, .bar.server.bad { background: var(--bad); }
time { white-space: nowrap; }
@media (max-width: 46rem) { table, caption, tbody, tr, th, td { display: block; width: auto; } thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { border-bottom: 1px solid var(--line); padding: .35rem 0; } tbody th, tbody td { border: 0; padding-block: 0; } td[data-of]::after { content: ' ' attr(data-of); } .waterfall tbody th { padding-left: calc(min(var(--depth), 8) * .5rem); } td.number { text-align: left; color: var(--soft); font-size: .85rem; }
  .waterfall dl { grid-template-columns: minmax(0, 1fr); } }
`

/** A page of the traces: the bar, and the content. */
export const layout = (title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><header class="top"><div><a href="/">Traces <span>· local collector</span></a></div></header>
<main>${content}</main></body></html>`

/** A duration with three significant digits: 850 ns, 12.3 ms, 4.56 s. */
export function duration(nanoseconds: bigint): string {
  const value = Number(nanoseconds)
  if (value < 1e3) return `${value} ns`
  if (value < 1e6) return `${(value / 1e3).toPrecision(3)} µs`
  if (value < 1e9) return `${Number((value / 1e6).toPrecision(3))} ms`
  return `${Number((value / 1e9).toPrecision(3))} s`
}

export const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds / 1_000n) / 1_000

export const timeTag = (nanoseconds: bigint): string => {
  const iso = new Date(milliseconds(nanoseconds)).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC</time>`
}
