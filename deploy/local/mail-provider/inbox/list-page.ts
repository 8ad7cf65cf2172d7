import { escapeHtml } from '@lettergate/values/html'
import { keyOf, subjectOf, type Delivery, type Mailbox } from '../mailbox.ts'
import { lastBadge, layout, timeTag } from './layout.ts'

const pageSize = 50

/** The newest messages, or those whose address, subject or sender contains the query. */
export function listPage(mailbox: Mailbox, query: string, page: number): string {
  const { shown, more } = select(mailbox, query.trim().toLowerCase(), page)
  const link = (to: number, label: string) =>
    `<a href="/?${escapeHtml(new URLSearchParams({ ...(query ? { q: query } : {}), page: String(to) }).toString())}">${label}</a>`
  const heading = query ? `Messages with “${escapeHtml(query)}”` : `${mailbox.messages.toLocaleString('en')} messages`
  const list =
    shown.length === 0
      ? emptyCard(query)
      : `<ul class="mails">${shown.map(row).join('\n')}</ul>
<nav class="pages" aria-label="Pages"><span>${page > 1 ? link(page - 1, '← Newer') : ''}</span><span class="soft">Page ${page}</span><span>${more ? link(page + 1, 'Older →') : ''}</span></nav>`
  return layout(query ? `${query} · Inbox` : 'Inbox', query, `<h1 style="margin:.25rem 0 1rem">${heading}</h1>${list}`)
}

function select(mailbox: Mailbox, wanted: string, page: number) {
  const shown: Delivery[] = []
  let skip = (page - 1) * pageSize
  for (const delivery of mailbox.newestFirst()) {
    if (wanted !== '' && !contains(delivery, wanted)) continue
    if (skip > 0) {
      skip -= 1
      continue
    }
    if (shown.length === pageSize) return { shown, more: true }
    shown.push(delivery)
  }
  return { shown, more: false }
}

const contains = (delivery: Delivery, wanted: string) =>
  delivery.address.toLowerCase().includes(wanted) ||
  subjectOf(delivery).toLowerCase().includes(wanted) ||
  delivery.batch.from.toLowerCase().includes(wanted)

const row = (
  delivery: Delivery,
) => `<li><a href="/messages/${keyOf(delivery)}"><span class="to clip">${escapeHtml(delivery.address)}</span>
<span class="subject clip">${escapeHtml(subjectOf(delivery)) || '<span class="soft">(no subject)</span>'}</span>${lastBadge(delivery)}${timeTag(delivery.batch.receivedAt)}</a></li>`

const emptyCard = (query: string) =>
  query === ''
    ? `<div class="card empty"><h2>Nothing has been sent yet</h2><p>Every message that this provider accepts shows up here, as its recipient would see it. No message leaves this machine.</p></div>`
    : `<div class="card empty"><h2>No message matches</h2><p>Try a part of the address or of the subject, or <a href="/">see all messages</a>.</p></div>`
