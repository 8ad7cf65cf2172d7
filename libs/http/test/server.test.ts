import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import express from 'express'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { createService, type Service } from '@lettergate/service'
import {
  HttpFault,
  breaker,
  correlationIdOf,
  errorPage,
  faultStatus,
  httpApp,
  listenHttp,
  nothingHere,
  reasonOf,
  type HttpHandler,
} from '@lettergate/http'

const sendJson = (res: ServerResponse, body: object) => void res.writeHead(200).end(JSON.stringify(body))

let service: Service
let base: string
let port: number
let release: () => void
let begun: PromiseWithResolvers<void>

beforeEach(async () => {
  service = createService('http-test', { logLevel: 'silent' })
  begun = Promise.withResolvers()
  const held = new Promise<void>((resolve) => (release = resolve))
  const parse = express.json({ limit: 100 })
  const routes: Record<string, HttpHandler> = {
    '/ok': (req, res) => sendJson(res, { id: correlationIdOf(req) }),
    '/json': async (req, res) => {
      await new Promise<void>((resolve, reject) =>
        parse(req as never, res as never, (error?: unknown) => (error ? reject(error as Error) : resolve())),
      )
      sendJson(res, {})
    },
    '/fault': () => {
      throw new Fault('conflict', 'slug', 'The slug <b>x</b> is taken. Choose another one.')
    },
    '/limited': async () => {
      throw new Fault('resource_exhausted', 'rate', 'Too many requests.')
    },
    '/allow': () => {
      throw new HttpFault(405, 'method_not_allowed', 'Use POST.', { headers: { Allow: 'POST' } })
    },
    '/bug': async () => {
      throw new Error('select secret from table')
    },
    '/slow': async (_, res) => {
      begun.resolve()
      await held
      sendJson(res, { done: true })
    },
    '/own-policy': (_, res) => {
      res.setHeader('Vary', 'Accept')
      res.writeHead(200, { 'Content-Security-Policy': 'own', 'Set-Cookie': ['a=1', 'b=2'] }).end()
    },
  }
  const app = httpApp(service, (req, res) => {
    const route = routes[req.url!]
    if (!route) throw nothingHere()
    return route(req, res)
  })
  port = (await service.use(listenHttp(service, app, 0))).port
  base = `http://127.0.0.1:${port}`
})

afterEach(async () => {
  release()
  await service.stop()
})

async function page(path: string, init: RequestInit = {}) {
  const response = await fetch(base + path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function raw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

test.each([
  ['/nowhere', {}, 404],
  ['/%zz', {}, 404],
  ['/fault', {}, 409],
  ['/bug', {}, 500],
  ['/limited', {}, 429],
  ['/allow', {}, 405],
  ['/json', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 400],
  ['/json', { method: 'POST', body: `"${'a'.repeat(200)}"`, headers: { 'content-type': 'application/json' } }, 413],
  ['/json', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json; charset=iso-8859-1' } }, 415],
])('%s is an HTML page with status and correlation id', async (path, init, status) => {
  const { status: given, headers, text } = await page(path, init)
  expect(given).toBe(status)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(text).toContain(`<p class="status">${status}</p>`)
  expect(text).toContain(headers.get('x-correlation-id')!)
  expect(headers.get('x-powered-by')).toBeNull()
  expect(headers.get('cache-control')).toBe('no-store')
})

test('the message of a fault is escaped, and the message of any other error is not shown', async () => {
  expect((await page('/fault')).text).toContain('The slug &lt;b&gt;x&lt;/b&gt; is taken.')
  expect((await page('/bug')).text).not.toContain('secret')
})

test('every refusal carries its reason in lower_snake_casefor every reason of the fault', async () => {
  const reasonAt = async (path: string) => (await page(path)).headers.get('x-error-reason')
  expect(await Promise.all(['/fault', '/limited', '/allow', '/bug', '/nowhere', '/ok'].map(reasonAt))).toEqual([
    'slug',
    'rate',
    'method_not_allowed',
    'internal_error',
    'not_found',
    null,
  ])
  expect(
    [
      new Fault('invalid_argument', 'tags[3].name', ''),
      new Fault('invalid_argument', 'Idempotency-Key', ''),
      new Fault('invalid_argument', 'ключ', ''),
      new Fault('not_found', 'connection', ''),
      new Fault('unavailable', 'contacts-consent', ''),
      new Fault('unavailable', 'Not a word', ''),
    ].map(reasonOf),
  ).toEqual([
    'invalid_tags',
    'invalid_idempotency_key',
    'invalid_request',
    'not_found',
    'contacts_consent',
    'unavailable',
  ])
})

test('several problems are items of a list, each escaped', () => {
  const html = errorPage({ status: 422, message: 'a is <b>.\nc is d.', correlationId: 'support-1234' })
  expect(html).toContain('<ul>\n<li>a is &lt;b&gt;.</li>\n<li>c is d.</li>\n</ul>')
})

test('429 has Retry-After and 405 has Allow', async () => {
  expect((await page('/limited')).headers.get('retry-after')).toMatch(/^\d+$/)
  expect((await page('/allow')).headers.get('allow')).toBe('POST')
})

test('a well-formed correlation id is kept and any other is replaced', async () => {
  expect((await page('/ok', { headers: { 'x-correlation-id': 'support-1234' } })).headers.get('x-correlation-id')).toBe(
    'support-1234',
  )
  for (const bad of ['short', 'with space inside', '<script>alert</script>', 'a'.repeat(129)]) {
    const { headers, text } = await page('/ok', { headers: { 'x-correlation-id': bad } })
    expect(headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(text)).toEqual({ id: headers.get('x-correlation-id') })
  }
})

test('every answer carries the security headers', async () => {
  const { headers } = await page('/ok')
  for (const name of [
    'content-security-policy',
    'x-content-type-options',
    'referrer-policy',
    'strict-transport-security',
    'x-frame-options',
  ]) {
    expect(headers.get(name)).not.toBeNull()
  }
})

test('a handler replaces a security header with its own, and the others stay', async () => {
  const { headers } = await page('/own-policy')
  expect(headers.get('content-security-policy')).toBe('own')
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(headers.get('vary')).toBe('Accept')
  expect(headers.get('x-frame-options')).toBe('DENY')
})

test('TRACE is refused and not echoed', async () => {
  const answer = await raw('TRACE /ok HTTP/1.1\r\nHost: x\r\nX-Secret: echo-me\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 405 /)
  expect(answer).not.toContain('echo-me')
})

test.each([
  ['garbage', 'this is not http\r\n\r\n', 400],
  ['headers without end', `GET /ok HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ['an unknown expectation', 'GET /ok HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n', 200],
])('%s is answered, and a refusal is a page', async (_, bytes, status) => {
  const answer = await raw(bytes)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(answer.toLowerCase()).toContain('x-correlation-id: ')
  if (status >= 400) expect(answer).toContain('<!doctype html>')
})

test('stopping lets an answer in progress finish, closes kept connections and accepts no new ones', async () => {
  const idle: Socket = connect(port, '127.0.0.1')
  idle.on('error', () => undefined)
  await once(idle, 'connect')
  const slow = page('/slow')
  await begun.promise
  const stopped = service.stop()
  await expect(fetch(`${base}/ok`)).rejects.toThrow()
  release()
  expect((await slow).text).toBe('{"done":true}')
  expect((await slow).headers.get('connection')).toBe('close')
  await stopped
})

test('a used port is an error at start', async () => {
  await expect(
    listenHttp(
      service,
      httpApp(service, () => undefined),
      port,
    ),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('each fault code has its status, and an HttpFault the one that it was given', () => {
  const status = (code: Fault['code']) => faultStatus(new Fault(code, 'x', 'x'))
  expect(status('invalid_argument')).toBe(422)
  expect(status('unavailable')).toBe(503)
  expect(faultStatus(new HttpFault(415, 'content_type', 'x'))).toBe(415)
})

test('the error page escapes every input', () => {
  const html = errorPage({ status: 400, title: '<i>', message: `"'&<script>`, correlationId: '<x>' })
  expect(html).not.toMatch(/<i>|<script>|<x>/)
})

test('an open breaker refuses at once without calling, allows one trial, and closes on success', async () => {
  let now = 0
  let calls = 0
  const guard = breaker('wallet', { failuresMax: 3, openMs: 1_000, clock: () => now })
  const failing = async () => {
    calls += 1
    throw new Error('down')
  }
  for (let call = 0; call < 3; call += 1) await expect(guard.run(failing)).rejects.toThrow('down')
  await expect(guard.run(failing)).rejects.toMatchObject({ code: 'unavailable' })
  expect([calls, guard.state]).toEqual([3, 'open'])

  now = 1_001
  let finish: () => void = () => undefined
  const trial = guard.run(() => new Promise<string>((resolve) => (finish = () => resolve('back'))))
  await expect(guard.run(async () => 'second')).rejects.toMatchObject({ code: 'unavailable' })
  finish()
  expect(await trial).toBe('back')
  expect(guard.state).toBe('closed')
  expect(await guard.run(async () => 'again')).toBe('again')
})

test('a failed trial opens the breaker again, and a refusal of the other side is not a failure', async () => {
  let now = 0
  const guard = breaker('provider', { failuresMax: 1, openMs: 1_000, clock: () => now })
  const refused = async () => {
    throw new Fault('unauthenticated', 'token', 'Sign in.')
  }
  for (let call = 0; call < 5; call += 1)
    await expect(guard.run(refused)).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(guard.state).toBe('closed')
  const down = async () => {
    throw new Error('down')
  }
  await expect(guard.run(down)).rejects.toThrow('down')
  now = 1_001
  await expect(guard.run(down)).rejects.toThrow('down')
  expect(guard.state).toBe('open')
})
