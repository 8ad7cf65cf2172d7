import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { until } from '@lettergate/stage'
import { startEdge, type Edge } from '../edge/edge.ts'

const servers: Server[] = []
let edge: Edge
let release: (() => void) | undefined
let abandoned = false

async function upstream(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const echo =
  (name: string): RequestListener =>
  (req, res) => {
    if (req.url === '/reset') return void req.socket.destroy()
    if (req.url === '/slow-download') {
      res.writeHead(200).write('first')
      release = () => res.end('second')
      return
    }
    if (req.url === '/refused') return void res.writeHead(413, { 'content-length': 3 }).end('big')
    if (req.url === '/pieces') {
      res.writeHead(200, { 'x-from': name })
      res.write('one ')
      return void setImmediate(() => res.end('two'))
    }
    if (req.url === '/unchanged') return void res.writeHead(304, { 'x-from': name, 'content-length': 99 }).end()
    if (req.url === '/hang') {
      res.once('close', () => (abandoned = true))
      return
    }
    let bytes = 0
    req.on('data', (chunk: Buffer) => (bytes += chunk.length))
    req.on('end', () => {
      res.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'x-from': name, 'content-type': 'application/json' })
      res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, bytes }))
    })
  }

interface Echoed {
  method: string
  url: string
  headers: Record<string, string>
  bytes: number
}

beforeAll(async () => {
  edge = await startEdge({
    port: 0,
    gatewayUrl: await upstream(echo('gateway')),
    webhookUrl: await upstream(echo('webhooks')),
  })
})
afterAll(async () => {
  await edge.stop()
  for (const server of servers) server.close()
})

test.each([
  ['/webhooks/mailprovider/abc?x=1', 'webhooks'],
  ['/webhooks', 'webhooks'],
  ['/', 'gateway'],
  ['/api/v1/me', 'gateway'],
  ['/webhooksish', 'gateway'],
  ['/preferences/token%2Fwith%20escapes', 'gateway'],
])('%s goes to %s with its path as it was', async (path, name) => {
  const res = await fetch(edge.url + path)
  expect(res.headers.get('x-from')).toBe(name)
  expect(((await res.json()) as Echoed).url).toBe(path)
})

test('status, headers, cookies and bodies are forwarded, and X-Forwarded-For has the caller', async () => {
  const res = await fetch(`${edge.url}/x`, {
    method: 'POST',
    body: 'y'.repeat(3_000_000),
    headers: { 'x-correlation-id': 'given-by-caller', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' },
  })
  expect(res.status).toBe(201)
  expect(res.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  const { bytes, headers } = (await res.json()) as Echoed
  expect(bytes).toBe(3_000_000)
  expect(headers).toMatchObject({
    host: new URL(edge.url).host,
    'x-correlation-id': 'given-by-caller',
    'x-forwarded-for': '203.0.113.9, 127.0.0.1',
    'x-forwarded-proto': 'http',
  })
})

test('uploads of unknown length and answers in pieces stream', async () => {
  const chunked = await new Promise<IncomingMessage>((resolve) => {
    const req = request(`${edge.url}/upload`, { method: 'PUT' }, resolve)
    req.write('abc')
    setTimeout(() => req.end('def'), 20)
  })
  expect((JSON.parse((await chunked.toArray()).join('')) as Echoed).bytes).toBe(6)

  const res = await fetch(`${edge.url}/slow-download`)
  const reader = res.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('first')
  release?.()
  expect((await reader?.read())?.value).toBe('second')
})

test('a caller that disconnects ends the call to the service', async () => {
  await expect(fetch(`${edge.url}/hang`, { signal: AbortSignal.timeout(200) })).rejects.toThrow('timeout')
  for (let waited = 0; !abandoned && waited < 100; waited += 1) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(abandoned).toBe(true)
})

test('a service that disconnects is 502 and one that cannot be reached 503, as a page with the correlation id', async () => {
  const broken = await fetch(`${edge.url}/reset`, { headers: { 'x-correlation-id': 'told-by-caller' } })
  expect(broken.status).toBe(502)
  expect(broken.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(broken.headers.get('x-correlation-id')).toBe('told-by-caller')
  expect(await broken.text()).toContain('told-by-caller')

  const alone = await startEdge({ port: 0, gatewayUrl: 'http://127.0.0.1:9', webhookUrl: 'http://127.0.0.1:9' })
  const refused = await fetch(alone.url, { method: 'POST', body: 'x'.repeat(500_000) })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  await refused.text()
  await alone.stop()
})

/** A replica of the gateway with a health port, which a test can declare not ready or stop. */
async function replica(name: string) {
  const state = { isReady: true }
  const url = await upstream(echo(name))
  const server = servers.at(-1)!
  const health = await upstream((_, res) => void res.writeHead(state.isReady ? 200 : 503).end())
  return { state, url, health, stop: () => new Promise((resolve) => server.close(resolve)) }
}

async function twoReplicas() {
  const [first, second] = [await replica('first'), await replica('second')]
  const balanced = await startEdge({
    port: 0,
    gatewayUrl: `${first.url},${second.url}`,
    gatewayHealthUrl: `${first.health},${second.health}`,
    webhookUrl: 'http://127.0.0.1:9',
  })
  /** Who answers the next ten requests. */
  const answering = async () => {
    const names = new Set<string>()
    for (let sent = 0; sent < 10; sent += 1) {
      const res = await fetch(balanced.url)
      names.add(String(res.headers.get('x-from')))
      await res.text()
    }
    return [...names].toSorted((a, b) => a.localeCompare(b))
  }
  return { first, second, balanced, answering }
}

test('several replicas answer in turn, and one that is not ready gets no requests until it is ready again', async () => {
  const { first, balanced, answering } = await twoReplicas()
  expect(await answering()).toEqual(['first', 'second'])
  first.state.isReady = false
  await until(async () => String(await answering()) === 'second')
  first.state.isReady = true
  await until(async () => String(await answering()) === 'first,second')
  await balanced.stop()
})

test('when a replica refuses the connection, another one gets the whole request, also a large one', async () => {
  const { first, balanced, answering } = await twoReplicas()
  await first.stop()
  expect(await answering()).toEqual(['second'])
  const body = 'x'.repeat(2_000_000)
  for (let sent = 0; sent < 3; sent += 1) {
    const res = await fetch(balanced.url, { method: 'POST', body })
    expect([res.status, ((await res.json()) as Echoed).bytes]).toEqual([201, body.length])
  }
  await balanced.stop()
})

test('a request that a replica may have read is not sent to another one', async () => {
  const { balanced } = await twoReplicas()
  for (let sent = 0; sent < 4; sent += 1) expect((await fetch(`${balanced.url}/reset`)).status).toBe(502)
  await balanced.stop()
})

const raw = (
  text: string,
  // An answer of the edge is a page; a forwarded answer ends with the number of bytes.
  isWhole = (answer: string) => /<\/html>|"bytes":\d+\}/.test(answer),
) =>
  new Promise<string>((resolve) => {
    const socket = connect(edge.port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
      if (isWhole(answer)) socket.end()
    })
    socket.on('close', () => resolve(answer))
  })

test.each([
  ['nonsense', 'NONSENSE\r\n\r\n'],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
  ['a space before the colon', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc'],
  ['a line that ends without CR', 'GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n'],
  ['a signed length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc'],
  ['the same length twice', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc'],
  ['another coding', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['chunks in HTTP/1.0', 'POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a chunk without a size', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n'],
  [
    'a chunk longer than its size',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n',
  ],
  [
    'a chunk whose line ends without CR',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n',
  ],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
])('%s is answered 400 as a page', async (_name, bytes) => {
  const answer = await raw(bytes)
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(answer).toMatch(/content-type: text\/html; charset=utf-8/i)
})

test('a whole URL as target is routed by its path; a name in Connection cannot remove the length', async () => {
  expect(await raw('GET http://elsewhere.test/webhooks/x?y HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
    /x-from: webhooks[^]*"url":"\/webhooks\/x\?y"/,
  )
  const answer = await raw(
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: content-length, host\r\nContent-Length: 3\r\n\r\nabc',
  )
  expect(answer).toContain('"bytes":3')
})

test('requests that arrive together on one connection are answered in their order, for any service', async () => {
  const body = (length: number) => `Host: x\r\nContent-Length: ${length}\r\n\r\n${'z'.repeat(length)}`
  const answer = await raw(
    `POST /api/v1/a HTTP/1.1\r\n${body(5)}GET /pieces HTTP/1.1\r\nHost: x\r\n\r\nHEAD /h HTTP/1.1\r\nHost: x\r\n\r\n` +
      `GET /unchanged HTTP/1.1\r\nHost: x\r\n\r\nPOST /webhooks/b HTTP/1.1\r\nConnection: close\r\n${body(7)}`,
    (text) => text.includes('/webhooks/b'),
  )
  expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['201', '200', '201', '304', '201'].map((s) => `HTTP/1.1 ${s}`))
  const at = ['"url":"/api/v1/a"', 'one ', 'two', '304 Not Modified', '"url":"/webhooks/b"'].map((part) =>
    answer.indexOf(part),
  )
  expect(at).toEqual(at.toSorted((one, other) => one - other))
  expect(at).not.toContain(-1)
  expect(answer).toMatch(/"bytes":5\}[^]*x-from: webhooks[^]*"bytes":7\}/)
})

test('a request that is answered before it is complete gets its answer, and its connection ends', async () => {
  const answer = await raw(
    `POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n${'z'.repeat(100_000)}`,
    (text) => text.endsWith('big'),
  )
  expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*\r\nConnection: close\r\n/i)
})

test('a caller that waits for 100 Continue gets it', async () => {
  const answer = await raw('POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc')
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 [^]*"bytes":3\}/)
})

test('a caller cannot set the headers of the edge or of a connection', async () => {
  const answer = await raw(
    'GET / HTTP/1.1\r\nHost: x\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-Host: evil\r\nConnection: x-private\r\nX-Private: 1\r\nKeep-Alive: 9\r\n\r\n',
  )
  const { headers } = JSON.parse(/\{.*\}/.exec(answer)![0]) as Echoed
  expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'x' })
  for (const name of ['x-real-ip', 'x-private', 'keep-alive']) expect(headers).not.toHaveProperty(name)
})

test('headers without an end are refused', async () => {
  expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}`)).toMatch(/^HTTP\/1\.1 431 /)
})
