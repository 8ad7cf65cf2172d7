import type { Express, Response } from 'express'
import { request } from 'undici'
import { headersOf, type Mailbox } from '../mailbox.ts'
import { layout } from './layout.ts'
import { listPage } from './list-page.ts'
import { framedBody, messagePage, unsubscribeUrl, views } from './message-page.ts'

const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** The content security policy of a message in its frame: no scripts, no forms, no access to this origin. */
const messagePolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; frame-ancestors 'self'"

/** The inbox: list, search, one message, and the one-click request of a mailbox. */
export function inboxRoutes(app: Express, mailbox: Mailbox) {
  app.get('/', (req, res) => {
    const query = typeof req.query['q'] === 'string' ? req.query['q'] : ''
    send(res, 200, listPage(mailbox, query, Math.max(1, Math.trunc(Number(req.query['page'])) || 1)))
  })

  app.get('/messages/:key', (req, res) => {
    const delivery = mailbox.find(req.params.key)
    if (!delivery) return send(res, 404, gonePage)
    const first = delivery.batch.html ? 'html' : 'text'
    const status = typeof req.query['one_click'] === 'string' ? req.query['one_click'] : undefined
    send(res, 200, messagePage(delivery, views.find((view) => view === req.query['view']) ?? first, status))
  })

  app.get('/messages/:key/body', (req, res) => {
    const delivery = mailbox.find(req.params.key)
    if (!delivery) return send(res, 404, gonePage)
    res
      .set('Content-Security-Policy', messagePolicy)
      .set('X-Content-Type-Options', 'nosniff')
      .set('Referrer-Policy', 'no-referrer')
    res.type('html').send(framedBody(delivery))
  })

  app.post('/messages/:key/one-click', async (req, res) => {
    const delivery = mailbox.find(req.params.key)
    const url = delivery && unsubscribeUrl(headersOf(delivery)['List-Unsubscribe'])
    if (!url) return send(res, 404, gonePage)
    res.redirect(303, `/messages/${req.params.key}?one_click=${await oneClick(url)}`)
  })
}

/** Sends the one-click request of RFC 8058 without cookies; returns the status, or the error without one. */
async function oneClick(url: string): Promise<string> {
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
      headersTimeout: 10_000,
    })
    await body.dump()
    return String(statusCode)
  } catch {
    return 'unreachable'
  }
}

const send = (res: Response, status: number, html: string) =>
  void res
    .status(status)
    .set('Content-Security-Policy', pagePolicy)
    .set('Cache-Control', 'no-store')
    .set('X-Content-Type-Options', 'nosniff')
    .type('html')
    .send(html)

const gonePage = layout(
  'No such message',
  '',
  '<div class="card empty"><h1>This message is not here</h1><p>It was cleared, or newer ones took its place. <a href="/">See all messages</a>.</p></div>',
)
