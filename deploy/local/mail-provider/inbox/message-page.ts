import { escapeHtml } from '@lettergate/values/html'
import { eventName } from '../event-payload.ts'
import { headersOf, htmlOf, keyOf, subjectOf, textOf, variablesOf, type Delivery } from '../mailbox.ts'
import { badge, lastBadge, layout, timeTag } from './layout.ts'

export const views = ['html', 'text', 'headers', 'events'] as const
export type View = (typeof views)[number]

const viewNames: Readonly<Record<View, string>> = {
  html: 'HTML',
  text: 'Plain text',
  headers: 'Headers',
  events: 'Events',
}

/** One message as its recipient sees it, with its events and the unsubscribe button. */
export function messagePage(delivery: Delivery, view: View, oneClickStatus: string | undefined): string {
  const base = `/messages/${keyOf(delivery)}`
  const subject = subjectOf(delivery)
  const headers = headersOf(delivery)
  const tabs = views.map(
    (name) => `<a href="${base}?view=${name}"${name === view ? ' aria-current="page"' : ''}>${viewNames[name]}</a>`,
  )
  return layout(
    `${subject || '(no subject)'} · Inbox`,
    '',
    `${oneClickStatus === undefined ? '' : outcome(oneClickStatus)}
<p><a href="/">← All messages</a></p>
<section class="card"><div class="split"><h1 style="flex:1 1 14rem;overflow-wrap:anywhere">${escapeHtml(subject) || '(no subject)'}</h1>${lastBadge(delivery)}</div>
<dl><dt>From</dt><dd>${escapeHtml(delivery.batch.from)}</dd><dt>To</dt><dd>${escapeHtml(headers['To'] ?? delivery.address)}</dd><dt>Received</dt><dd>${timeTag(delivery.batch.receivedAt)}</dd></dl></section>
${unsubscribeCard(delivery, headers['List-Unsubscribe'], base)}
<nav class="tabs" aria-label="Views">${tabs.join('')}</nav>
${content[view](delivery, base)}`,
  )
}

const content: Readonly<Record<View, (delivery: Delivery, base: string) => string>> = {
  html: (delivery, base) =>
    delivery.batch.html
      ? `<iframe title="The message" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" src="${base}/body"></iframe>`
      : '<div class="card soft">This message has no HTML part.</div>',
  text: (delivery) => {
    const text = textOf(delivery)
    return text === null
      ? '<div class="card soft">This message has no plain text part.</div>'
      : `<div class="card"><pre>${escapeHtml(text)}</pre></div>`
  },
  headers: (delivery) =>
    `<div class="card">${table('Header', headersOf(delivery))}</div><div class="card">${table('Variable (v:)', variablesOf(delivery))}</div>`,
  events: (delivery) =>
    `<div class="card"><table><thead><tr><th scope="col">Event</th><th scope="col">When</th><th scope="col">Id</th></tr></thead><tbody>${delivery.happened
      .map(
        ({ kind, at, id }) =>
          `<tr><td>${badge(kind)} <span class="soft">${eventName(kind)}</span></td><td>${timeTag(at)}</td><td><code>${id}</code></td></tr>`,
      )
      .join('')}</tbody></table></div>`,
}

const table = (name: string, values: Record<string, string>) =>
  `<table><thead><tr><th scope="col">${name}</th><th scope="col">Value</th></tr></thead><tbody>${
    Object.entries(values)
      .map(([key, value]) => `<tr><th scope="row">${escapeHtml(key)}</th><td>${escapeHtml(value)}</td></tr>`)
      .join('') || '<tr><td colspan="2" class="soft">None</td></tr>'
  }</tbody></table>`

/** The https or http URL of a List-Unsubscribe header. */
export const unsubscribeUrl = (header: string | undefined) =>
  /<(https?:\/\/[^>]+)>/.exec(header ?? '')?.[1] ?? (/^https?:\/\/\S+$/.test(header ?? '') ? header : undefined)

function unsubscribeCard(delivery: Delivery, header: string | undefined, base: string): string {
  const url = unsubscribeUrl(header)
  if (url === undefined)
    return '<section class="card notice bad">This message has no List-Unsubscribe header: its reader cannot leave with one click.</section>'
  const oneClick = headersOf(delivery)['List-Unsubscribe-Post'] === 'List-Unsubscribe=One-Click'
  const button = oneClick
    ? `<form method="post" action="${base}/one-click"><button class="button">One-click unsubscribe</button></form>`
    : '<span class="badge warn">List-Unsubscribe-Post is missing</span>'
  return `<section class="card split"><div><b>Unsubscribe</b> <a class="url" href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(url)}</a></div>${button}</section>`
}

const outcome = (status: string) =>
  /^2\d\d$/.test(status)
    ? `<div class="card notice" role="status">The one-click request was answered with ${escapeHtml(status)}: the reader is unsubscribed.</div>`
    : `<div class="card notice bad" role="status">The one-click request failed (${escapeHtml(status)}). Is the stack running?</div>`

/** The HTML part for the sandboxed frame. Links open outside of the frame. */
export const framedBody = (delivery: Delivery) => `<base target="_blank">${htmlOf(delivery) ?? ''}`
