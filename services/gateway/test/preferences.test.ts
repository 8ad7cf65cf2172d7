import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signPreferenceToken } from '@lettergate/contacts-consent/preference-token'
import { parseKeyRing } from '@lettergate/contacts-consent/key-ring'
import { signIn } from './console-session.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'
import { withoutDatabase } from './neighbours.ts'
import { audience, isEligible, subscriber } from './people-and-senders.ts'

let gateway: GatewayStage
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage({ RATE_LIMIT_PREFERENCES_PER_MINUTE: '5', RATE_LIMIT_SIGN_IN_PER_MINUTE: '3' })
  audienceId = await audience(gateway)
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())
afterEach(() => gateway.stage.clock.release())

const recipient = (more: object = {}) => subscriber(gateway, audienceId, more)
const eligible = (contactId: string) => isEligible(gateway, contactId, audienceId)

/** X-Forwarded-For as the edge sends it; further left is the value of the client. */
const comingFrom = (address: string) => ({ 'x-forwarded-for': `6.6.6.6, ${address}` })

/** The uses of a link in the consent record. */
const usesOf = (contactId: string) =>
  gateway.stage.query(
    `select e.kind, e.actor, e.actor_kind, k.evidence->>'via' as via from contacts.consent_events e
       join contacts.consent_evidence k on k.workspace_id = e.workspace_id and k.event_id = e.id
      where e.contact_id = $1 and e.source = 'preference_link' order by e.id`,
    [contactId],
  )
const use = (via: string) => ({ kind: 'withdrawn', actor: 'recipient', actor_kind: 'recipient', via })

/** Tokens that were not signed by this stack. */
async function forgedTokens(): Promise<string[]> {
  const { contactId, token } = await recipient()
  const foreign = signPreferenceToken(parseKeyRing(`k1:${Buffer.alloc(32, 3).toString('base64url')}`), {
    workspaceId: contactId,
    contactId,
    audienceId,
    issuedAt: new Date(),
  })
  const [kid, payload, signature] = token.split('.') as [string, string, string]
  const tampered = `${kid}.${payload.startsWith('A') ? 'B' : 'A'}${payload.slice(1)}.${signature}`
  return ['forged', foreign, tampered, token.slice(0, -1), 'x'.repeat(5_000), '%00', '%zz', '%ED%A0%80']
}

describe('an invalid link', () => {
  test.each(['GET', 'HEAD', 'POST'])('%s with a forged, tampered or foreign token is 400', async (method) => {
    for (const [index, token] of (await forgedTokens()).entries()) {
      const path = `/preferences/${index % 2 ? 'one-click/' : ''}${token}`
      const { status, headers } = await gateway.call(method, path, { headers: comingFrom(`10.1.0.${index}`) })
      expect({ token, status }).toEqual({ token, status: 400 })
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
  })
})

describe('using a link', () => {
  const bodies: [string, string | undefined, Record<string, string>][] = [
    ['no body', undefined, {}],
    ['an empty body', '', {}],
    ['the one-click form', 'List-Unsubscribe=One-Click', { 'content-type': 'application/x-www-form-urlencoded' }],
    [
      'the one-click form as multipart',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      { 'content-type': 'multipart/form-data; boundary=x' },
    ],
    ['broken multipart', '--x', { 'content-type': 'multipart/form-data' }],
    ['broken JSON', '{"', { 'content-type': 'application/json' }],
    ['JSON that says no', '{"unsubscribed":false}', { 'content-type': 'application/json; charset=utf-16' }],
    ['what is not compressed, though it says so', 'x', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }],
    ['a content type that is none', 'x', { 'content-type': ';;,' }],
    ['bytes', '\u0000\ufffd', { 'content-type': 'application/octet-stream' }],
    ['16 MiB', 'x'.repeat(16 * 1_048_576), { 'content-type': 'text/plain' }],
  ]
  const urls = [
    ['/preferences/one-click/', 'one_click'],
    ['/preferences/', 'preference_page'],
  ] as const

  test.each(urls.flatMap(([path, via]) => bodies.map((body) => [path, via, ...body] as const)))(
    '%s as %s takes %s, sets no cookie and redirects nowhere',
    async (path, via, _, body, headers) => {
      const { contactId, token } = await recipient()
      const answer = await gateway.call('POST', path + token, { headers, ...(body === undefined ? {} : { body }) })
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual({ unsubscribed: true, scope: 'audience' })
      expect(answer.headers.getSetCookie()).toEqual([])
      expect(answer.headers.get('location')).toBeNull()
      expect(await usesOf(contactId)).toEqual([use(via)])
      expect(await eligible(contactId)).toBe(false)
    },
  )

  /** Sends the beginning of a request and returns all bytes until the connection closes. */
  async function begun(token: string, head: string, hangUp = false): Promise<string> {
    const { hostname, port } = new URL(gateway.baseUrl)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.on('error', () => {})
    socket.write(`POST /preferences/one-click/${token} HTTP/1.1\r\nHost: x\r\n${head}`)
    if (hangUp) socket.destroySoon()
    await once(socket, 'close')
    return text
  }

  test.each([
    ['10 GB of which little comes', 'Content-Length: 10000000000\r\n\r\nx'],
    ['chunks without an end', 'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'],
    ['chunks that are none', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('is not kept waiting by a body of %s', async (_, head) => {
    const { contactId, token } = await recipient()
    const answered = await begun(token, head)
    expect(answered).toMatch(/^HTTP\/1\.1 (200 OK|400 Bad Request)/)
    if (answered.includes('200 OK')) expect(answered).toMatch(/\r\nConnection: close\r\n/i)
    await until(async () => (await usesOf(contactId)).length === 1)
    expect(await eligible(contactId)).toBe(false)
  })

  test('counts although the client disconnects before the answer', async () => {
    const { contactId, token } = await recipient()
    await begun(token, 'Content-Length: 26\r\n\r\nList-Unsub', true)
    await until(async () => !(await eligible(contactId)))
    expect(await usesOf(contactId)).toEqual([use('one_click')])
  })

  test('is not for other methods', async () => {
    const { contactId, token } = await recipient()
    for (const [path] of urls) {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await gateway.call(method, path + token)
        expect(status).toBe(405)
        expect(headers.get('allow')).toBe('GET, HEAD, POST')
      }
    }
    expect(await usesOf(contactId)).toEqual([])
  })

  test('is safe to repeat, also concurrently, and the contact stays unsubscribed', async () => {
    const { contactId, token } = await recipient()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => gateway.call('POST', urls[index % 2]![0] + token)),
    )
    expect(answers.map(({ status, json }) => [status, json])).toEqual(
      answers.map(() => [200, { unsubscribed: true, scope: 'audience' }]),
    )
    const standing = await gateway.stage.query(
      'select scope, reason from contacts.suppressions where contact_id = $1 and resolved_at is null',
      [contactId],
    )
    expect(standing).toEqual([{ scope: 'audience', reason: 'unsubscribe' }])
    expect(await usesOf(contactId)).toHaveLength(1)
    expect(await eligible(contactId)).toBe(false)
  })

  test('answers a page to a browser and JSON to other clients', async () => {
    const { contactId, token } = await recipient()
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const page = await gateway.call('POST', `/preferences/${token}`, { headers: browser })
    expect(page.status).toBe(200)
    expect(page.text).toContain('You are unsubscribed')
    expect(await usesOf(contactId)).toEqual([use('preference_page')])
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      expect((await gateway.call('POST', `/preferences/${token}`, { headers: { accept } })).json).toEqual({
        unsubscribed: true,
        scope: 'audience',
      })
    }
  })

  test('an outage is 503, not a success', async () => {
    const { contactId, token } = await recipient()
    await withoutDatabase(gateway.stage, 'contacts', async () => {
      expect((await gateway.call('POST', `/preferences/${token}`)).status).toBe(503)
    })
    expect(await eligible(contactId)).toBe(true)
  })
})

describe('limits', () => {
  const many = (method: string, path: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => gateway.call(method, path).then(({ status }) => status)))

  test('the page of one link is 429 with Retry-After when it is opened too often, and a valid unsubscribe still works', async () => {
    const { contactId, token } = await recipient()
    const path = `/preferences/${token}`
    const statuses = await many('GET', path, 8)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    const over = await gateway.call('GET', path)
    expect(over.status).toBe(429)
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await gateway.call('POST', path)).json).toEqual({ unsubscribed: true, scope: 'audience' })
    expect(await eligible(contactId)).toBe(false)
    const another = await recipient()
    expect((await gateway.call('GET', `/preferences/${another.token}`)).status).toBe(200)
  })

  test('a forged link is 429 when it is used too often', async () => {
    const use = (address: string) =>
      gateway.call('POST', '/preferences/forged-often', { headers: comingFrom(address) }).then(({ status }) => status)
    for (let again = 0; again < 5; again += 1) expect(await use(`10.3.0.${again}`)).toBe(400)
    expect(await use('10.3.0.5')).toBe(429)
  })

  test('guessed links are limited by client address and do not affect other addresses', async () => {
    const use = (token: string, address: string, method = 'POST') =>
      gateway.call(method, `/preferences/${token}`, { headers: comingFrom(address) })
    for (let guess = 0; guess < 5; guess += 1) expect((await use(`guess-${guess}`, '10.2.0.1')).status).toBe(400)
    const over = await use('guess-5', '10.2.0.1')
    expect(over.status).toBe(429)
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await use('guess-6', '10.2.0.1', 'GET')).status).toBe(429)
    expect((await use('guess-7', '10.2.0.2')).status).toBe(400)
    const { token } = await recipient()
    expect((await use(token, '10.2.0.1')).json).toEqual({ unsubscribed: true, scope: 'audience' })
  })

  test('signing in is limited by address, and the platform gate removes every limit', async () => {
    const owner = await signIn(gateway, 'owner')
    // Without the state of a browser, the callback is 400.
    const routes = [
      ['/console/auth/sign-in', 302],
      ['/console/auth/callback', 400],
    ] as const
    const statusOf = async (route: string, address: string) => {
      const { status, headers } = await gateway.call('GET', route, { headers: comingFrom(address) })
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      return status
    }
    for (const [route, usual] of routes) {
      for (let attempt = 0; attempt < 3; attempt += 1) expect(await statusOf(route, '10.0.0.1')).toBe(usual)
      expect(await statusOf(route, '10.0.0.1')).toBe(429)
      expect(await statusOf(route, '10.0.0.2')).toBe(usual)
    }
    await owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled: false } })
    for (const [route, usual] of routes)
      for (let attempt = 0; attempt < 5; attempt += 1) expect(await statusOf(route, '10.0.0.1')).toBe(usual)
    const { token } = await recipient()
    expect(await many('GET', `/preferences/${token}`, 8)).toEqual(Array.from({ length: 8 }, () => 200))
    await owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled: true } })
  })
})
