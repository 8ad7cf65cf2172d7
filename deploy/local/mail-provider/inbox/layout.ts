import { escapeHtml } from '@lettergate/values/html'
import { pageStyle } from '../../html.ts'
import type { MailgunWebhookType } from '../account.ts'
import type { Delivery } from '../mailbox.ts'

const style = `${pageStyle}
header.top { background: var(--card); border-bottom: 1px solid var(--line); }
header.top > div, main { max-width: 64rem; margin: 0 auto; padding: 1rem; }
header.top > div { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; justify-content: space-between; }
header.top a.brand { font-weight: 700; font-size: 1.1rem; color: inherit; text-decoration: none; }
header.top a.brand span { color: var(--soft); font-weight: 400; }
form.search { display: flex; gap: .5rem; flex: 1 1 16rem; max-width: 26rem; min-width: 0; }
input[type=search] { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 8px; padding: .45rem .75rem; flex: 1; width: 100%; min-width: 0; }
.soft { color: var(--soft); } .clip { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.mails { list-style: none; margin: 0; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
.mails li + li { border-top: 1px solid var(--line); }
.mails a { display: grid; grid-template-columns: minmax(0, 18rem) minmax(0, 1fr) 7rem auto; gap: .15rem 1rem; align-items: baseline; padding: .7rem 1rem; color: inherit; text-decoration: none; }
.mails a:hover { background: var(--tint); } .mails a:focus-visible { outline-offset: -3px; }
.mails .to { font-weight: 600; } .mails time { color: var(--soft); font-size: .85rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
.badge { justify-self: start; font-size: .78rem; font-weight: 600; padding: .1rem .55rem; border-radius: 99px; background: var(--tint); color: var(--accent); white-space: nowrap; }
.badge.good { background: var(--good-bg); color: var(--good); } .badge.bad { background: var(--bad-bg); color: var(--bad); } .badge.warn { background: var(--warn-bg); color: var(--warn); }
@media (max-width: 44rem) { .mails a { grid-template-columns: minmax(0, 1fr) auto; } .mails .badge { justify-self: end; } .mails .subject { grid-column: 1 / -1; grid-row: 2; } .mails time { grid-row: 3; } .mails .badge { grid-row: 1; grid-column: 2; } }
nav.pages { display: flex; justify-content: space-between; gap: 1rem; margin-top: 1rem; align-items: center; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.15rem; margin-bottom: 1rem; }
.empty { text-align: center; padding: 3rem 1rem; } .empty p { color: var(--soft); max-width: 32rem; margin: .5rem auto; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem 1rem; margin: .75rem 0 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: .35rem; } }
.tabs { display: flex; gap: .25rem; flex-wrap: wrap; margin-bottom: .75rem; } .tabs a { padding: .4rem .85rem; border-radius: 8px; text-decoration: none; color: var(--soft); font-weight: 600; }
.tabs a[aria-current] { background: var(--card); color: var(--ink); box-shadow: inset 0 0 0 1px var(--line); }
iframe { width: 100%; height: 70vh; min-height: 24rem; border: 1px solid var(--line); border-radius: 12px; background: #fff; color-scheme: light; display: block; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .9rem/1.55 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
.split { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: center; justify-content: space-between; } .split > div { flex: 1 1 18rem; min-width: 0; }
.url { overflow-wrap: anywhere; font-size: .9rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; } .notice { border-left: 4px solid var(--good); } .notice.bad { border-left-color: var(--bad); }
table { width: 100%; border-collapse: collapse; } th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: .4rem .75rem .4rem 0; vertical-align: top; overflow-wrap: anywhere; }
`

/** A page of the inbox: the bar with the search, and the content. */
export const layout = (title: string, query: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><header class="top"><div><a class="brand" href="/">Inbox <span>· local mail provider</span></a>
<form class="search" action="/" role="search"><input type="search" name="q" value="${escapeHtml(query)}" aria-label="Search by address, subject or sender" placeholder="Address, subject or sender"><button class="button">Search</button></form></div></header>
<main>${content}</main></body></html>`

const labels: Readonly<Record<MailgunWebhookType, readonly [string, string]>> = {
  accepted: ['Accepted', ''],
  delivered: ['Delivered', 'good'],
  opened: ['Opened', 'good'],
  clicked: ['Clicked', 'good'],
  permanent_fail: ['Bounced', 'bad'],
  temporary_fail: ['Soft failure', 'warn'],
  complained: ['Complained', 'bad'],
  unsubscribed: ['Unsubscribed', 'warn'],
}

export function badge(kind: MailgunWebhookType): string {
  const [label, tone] = labels[kind]
  return `<span class="badge ${tone}">${label}</span>`
}

/** The last event of a message. */
export const lastBadge = ({ happened }: Delivery) => badge(happened.at(-1)?.kind ?? 'accepted')

export const timeTag = (at: number) => {
  const iso = new Date(at).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}
