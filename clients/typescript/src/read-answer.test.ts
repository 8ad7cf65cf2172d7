import { expect, test } from '@jest/globals'
import { messageOf, readAnswer, secondsOf } from './read-answer.ts'
import type { Route } from './route.ts'

const page = (inside: string) => `<!doctype html><html><head><title>422 x</title><style>p{}</style></head><body><main>
<p class="status">422</p>
<h1>Unprocessable Entity</h1>
${inside}
<p class="reference">Reference for support: <code>abc</code></p></main></body></html>`

test.each([
  ['<p>The sender &#39;News&#39; &amp; co\n is &lt;disabled&gt;.</p>', "The sender 'News' & co is <disabled>."],
  ['<ul>\n<li>email is invalid.</li>\n<li>tags has 51.</li>\n</ul>', 'email is invalid.\ntags has 51.'],
])('the message of an error page is its text: %s', (inside, text) => {
  expect(messageOf(page(inside))).toBe(text)
})

test('a page of somebody else is shown as text', () => {
  expect(messageOf('<html><head><title>no</title></head><body><h1>502</h1><p>nginx</p></body></html>')).toContain(
    'nginx',
  )
  expect(messageOf('upstream gone')).toBe('upstream gone')
})

test.each([
  [null, undefined],
  ['7', 7],
  ['Tue, 24 Nov 2026 10:00:05 GMT', 5],
  ['Tue, 24 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
])('Retry-After %s is %s seconds', (header, seconds) => {
  expect(secondsOf(header, Date.parse('2026-11-24T10:00:00Z'))).toBe(seconds)
})

const route: Route = { method: 'GET', path: '/x' }
const answer = (status: number, text: string, headers: Record<string, string>) =>
  new Response(text, { status, headers })

test('a failure has status, reason, message, correlation id and the time to wait', async () => {
  const headers = { 'x-error-reason': 'rate_limit', 'x-correlation-id': 'c-12345678', 'retry-after': '3' }
  expect(await readAnswer(route, answer(429, page('<p>Too many.</p>'), headers), 'sent-1234')).toEqual({
    ok: false,
    status: 429,
    reason: 'rate_limit',
    message: 'Too many.',
    correlationId: 'c-12345678',
    retryAfter: 3,
  })
})

test('an answer that is no answer of the service is a failure and keeps the id that was sent', async () => {
  const html = { 'content-type': 'text/html' }
  const other = await readAnswer(route, answer(200, '<p>welcome to nginx</p>', html), 'sent-1234')
  expect(other).toMatchObject({ ok: false, status: 200, reason: 'unexpected_answer', correlationId: 'sent-1234' })
  const cut = await readAnswer(route, answer(200, '{"a":', { 'content-type': 'application/json' }), 'sent-1234')
  expect(cut).toMatchObject({ ok: false, reason: 'unexpected_answer' })
  expect(await readAnswer(route, answer(502, '', html), 'sent-1234')).toMatchObject({ ok: false, reason: 'http_502' })
})
