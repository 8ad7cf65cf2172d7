import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMailProvider, type LocalMailProvider } from '../mail-provider/mail-provider.ts'

let provider: LocalMailProvider
const posted: string[] = []
const list = createServer((req, res) => {
  req.on('data', (chunk: Buffer) => posted.push(`${req.method} ${req.url} ${chunk.toString()}`))
  req.on('end', () => res.writeHead(posted.length > 1 ? 500 : 200).end())
})

beforeAll(async () => {
  provider = await startMailProvider({ apiKey: 'key', signingKey: 'signing' })
  await new Promise<void>((resolve) => list.listen(0, '127.0.0.1', resolve))
  const leave = `http://127.0.0.1:${(list.address() as AddressInfo).port}/leave`
  await fetch(`${provider.url}/v3/mail.acme.test/messages`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('api:key')}` },
    body: new URLSearchParams({
      from: 'Acme <news@mail.acme.test>',
      to: 'zoe@example.org, bob@example.org',
      subject: '<b>Hello</b> %recipient.name%',
      html: '<h1>Hi %recipient.name%</h1><script>alert(1)</script>',
      text: 'Hi <%recipient.name%>',
      'h:List-Unsubscribe': `<${leave}?who=%recipient.name%>`,
      'h:List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'recipient-variables': '{"zoe@example.org":{"name":"Zoë"},"bob@example.org":{"name":"Bob"}}',
    }),
  })
})
afterAll(async () => {
  await provider.stop()
  list.close()
})

const page = async (path: string) => {
  const res = await fetch(provider.url + path)
  return { status: res.status, policy: res.headers.get('content-security-policy') ?? '', html: await res.text() }
}

test('lists messages with everything escaped, and finds one by a part of its address', async () => {
  const all = await page('/')
  expect(all.html).toContain('&lt;b&gt;Hello&lt;/b&gt; Zoë')
  expect(all.html).not.toContain('<b>Hello')
  const found = await page('/?q=ZOE%40')
  expect(found.html).toContain('zoe@example.org')
  expect(found.html).not.toContain('bob@example.org')
  expect((await page('/?q=%22%3E%3Cscript%3E')).html).not.toContain('"><script>')
})

test('shows the message in a frame that runs no scripts, and its text, headers and events', async () => {
  const shown = await page('/messages/0-0')
  expect(shown.html).toMatch(
    /<iframe[^>]+sandbox="allow-popups allow-popups-to-escape-sandbox"[^>]+src="\/messages\/0-0\/body"/,
  )
  expect(shown.policy).not.toContain('script-src')
  const body = await page('/messages/0-0/body')
  expect(body.policy).toMatch(/^sandbox .*default-src 'none'/)
  expect(body.html).toContain('<h1>Hi Zoë</h1>')
  expect((await page('/messages/0-0?view=text')).html).toContain('Hi &lt;Zoë&gt;')
  expect((await page('/messages/0-1?view=headers')).html).toContain('List-Unsubscribe-Post')
  expect((await page('/messages/0-1?view=events')).html).toContain('Accepted')
})

test('the one-click button sends the request of a mailbox and shows the result', async () => {
  const done = await fetch(`${provider.url}/messages/0-1/one-click`, { method: 'POST' })
  expect(posted).toEqual(['POST /leave?who=Bob List-Unsubscribe=One-Click'])
  expect(await done.text()).toContain('is unsubscribed')
  const failed = await fetch(`${provider.url}/messages/0-1/one-click`, { method: 'POST' })
  expect(await failed.text()).toContain('failed (500)')
})

test('a deleted message is 404', async () => {
  for (const path of ['/messages/9-9', '/messages/x', '/messages/9-9/body']) expect((await page(path)).status).toBe(404)
})
