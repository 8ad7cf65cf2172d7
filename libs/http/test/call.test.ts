import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type LookupFunction, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, expect, test } from '@jest/globals'
import { callHttp } from '@lettergate/http'

const open: (Server | HttpServer)[] = []
const sockets = new Set<Socket>()

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

/** A TCP server that answers the bytes of the test. */
async function tcp(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  })
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function http(listener: Parameters<typeof createHttpServer>[1]): Promise<{ url: string; server: HttpServer }> {
  const server = createHttpServer(listener!)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const post = (url: string, more: object = {}) =>
  callHttp({ method: 'POST', url, body: 'x=1', timeoutMs: 2_000, ...more })

test('a complete answer of any status is `answered`, with headers and body', async () => {
  const { url } = await http((_, res) =>
    res.writeHead(429, { 'Retry-After': '7', 'X-Two': ['a', 'b'] }).end('slow down'),
  )
  const result = await post(url)
  expect(result).toMatchObject({ kind: 'answered', status: 429, truncated: false, headers: { 'retry-after': '7' } })
  expect(result.kind === 'answered' && result.body.toString()).toBe('slow down')
})

test('a refused connection is `not_sent`', async () => {
  const { url, server } = await http((_, res) => res.end())
  await new Promise((resolve) => server.close(resolve))
  open.splice(0)
  expect(await post(url)).toMatchObject({ kind: 'not_sent' })
})

test('a name that does not resolve is `not_sent`', async () => {
  expect(await post('http://nowhere.invalid/')).toMatchObject({ kind: 'not_sent' })
})

test('a handshake that fails is `not_sent`', async () => {
  let heard = ''
  const origin = await tcp((socket) =>
    socket.on('data', (bytes) => (heard += bytes.toString('latin1'))).write('this is not TLS\r\n'),
  )
  expect(await post(origin.replace('http:', 'https:'))).toMatchObject({ kind: 'not_sent' })
  expect(heard).not.toContain('POST')
})

test('a handshake that never ends is `not_sent` after the connect timeout', async () => {
  const origin = await tcp(() => undefined)
  expect(await post(origin.replace('http:', 'https:'), { connectTimeoutMs: 200 })).toMatchObject({ kind: 'not_sent' })
})

test('an invalid URL or header is `not_sent`', async () => {
  expect(await post('not a url')).toMatchObject({ kind: 'not_sent' })
  expect(await post('http://127.0.0.1:9/', { headers: { 'x-bad': 'a\r\nb: c' } })).toMatchObject({ kind: 'not_sent' })
})

test('a call cancelled before it starts is `not_sent`; one cancelled later is `ambiguous`', async () => {
  let arrived: () => void = () => undefined
  const seen = new Promise<void>((resolve) => (arrived = resolve))
  const { url } = await http(() => arrived())
  expect(await post(url, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'not_sent' })
  const cancel = new AbortController()
  const result = post(url, { signal: cancel.signal })
  await seen
  cancel.abort()
  expect(await result).toMatchObject({ kind: 'ambiguous' })
})

test('a reset before any answer is ambiguous: the request may have been acted on', async () => {
  const origin = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
  expect(await post(origin)).toMatchObject({ kind: 'ambiguous' })
})

test('a connection closed without an answer is ambiguous', async () => {
  const origin = await tcp((socket) => socket.once('data', () => socket.end()))
  expect(await post(origin)).toMatchObject({ kind: 'ambiguous' })
})

test('a request without an answer is ambiguous after the total timeout', async () => {
  let heard = ''
  const origin = await tcp((socket) => socket.on('data', (bytes) => (heard += bytes.toString())))
  expect(await post(origin, { timeoutMs: 200 })).toMatchObject({ kind: 'ambiguous' })
  expect(heard).toContain('POST / HTTP/1.1')
})

test.each([
  ['a cut status line', 'HTTP/1.1 20'],
  ['half of the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['a body shorter than declared', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"id":"<a'],
  ['a chunked body without its end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n'],
  ['something that is not HTTP', '\u0000\u0001garbage\r\n\r\n'],
])('%s is ambiguous', async (_, bytes) => {
  const origin = await tcp((socket) => socket.once('data', () => socket.end(bytes)))
  expect(await post(origin)).toMatchObject({ kind: 'ambiguous' })
})

test('an answer of one byte a second ends with the total timeout', async () => {
  const timers: NodeJS.Timeout[] = []
  const origin = await tcp((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
      timers.push(setInterval(() => socket.write('x'), 50))
    }),
  )
  expect(await post(origin, { timeoutMs: 300 })).toMatchObject({ kind: 'ambiguous' })
  for (const timer of timers) clearInterval(timer)
})

test('an endless body is cut at the limit and marked as truncated', async () => {
  const { url } = await http((_, res) => {
    res.writeHead(200)
    const write = () => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536, 'a')));
    }
    res.on('drain', write)
    write()
  })
  const result = await post(url, { bodyBytesMax: 1_000 })
  expect(result).toMatchObject({ kind: 'answered', status: 200, truncated: true })
  expect(result.kind === 'answered' && result.body.length).toBe(1_000)
})

test('a body of exactly the limit is complete', async () => {
  const { url } = await http((_, res) => res.end('a'.repeat(1_000)))
  expect(await post(url, { bodyBytesMax: 1_000 })).toMatchObject({ kind: 'answered', truncated: false })
})

test('a redirect is an answer and is not followed', async () => {
  let calls = 0
  const { url } = await http((_, res) => {
    calls += 1
    res.writeHead(302, { location: '/elsewhere' }).end()
  })
  expect(await post(url)).toMatchObject({ kind: 'answered', status: 302 })
  expect(calls).toBe(1)
})

test('connections are kept alive and reused', async () => {
  let connections = 0
  const { url, server } = await http((_, res) => res.end('ok'))
  server.on('connection', () => (connections += 1))
  for (let call = 0; call < 5; call += 1) {
    expect(await post(url)).toMatchObject({ kind: 'answered' })
    await pause(10)
  }
  expect(connections).toBe(1)
})

test('a kept connection that the server closes during the second request is ambiguous once, and nothing is sent twice', async () => {
  const requests: string[] = []
  let connections = 0
  const origin = await tcp((socket) => {
    connections += 1
    socket.on('data', (bytes) => {
      requests.push(bytes.toString())
      if (requests.length === 2) return socket.resetAndDestroy()
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok')
    })
  })
  expect(await post(origin)).toMatchObject({ kind: 'answered' })
  await pause(10)
  expect(await post(origin)).toMatchObject({ kind: 'ambiguous' })
  expect(connections).toBe(1)
  expect(await post(origin)).toMatchObject({ kind: 'answered' })
  expect(requests.filter((text) => text.includes('POST')).length).toBe(3)
})

test('many concurrent calls all get answers, and a call that waits too long for a connection is `not_sent`', async () => {
  const { url } = await http((_, res) => void setTimeout(() => res.end('ok'), 50))
  const results = await Promise.all(
    Array.from({ length: 400 }, () => post(url, { timeoutMs: 60_000, connectTimeoutMs: 60_000 })),
  )
  expect(results.every((result) => result.kind === 'answered')).toBe(true)
  let hanging = 0
  const hung = await http(() => void (hanging += 1))
  const held = Array.from({ length: 256 }, () => post(hung.url, { timeoutMs: 60_000, connectTimeoutMs: 60_000 }))
  while (hanging < 256) await pause(10)
  const late = await post(hung.url, { connectTimeoutMs: 300 })
  hung.server.closeAllConnections()
  expect(late).toMatchObject({ kind: 'not_sent' })
  expect((await Promise.all(held)).every((result) => result.kind === 'ambiguous')).toBe(true)
})

test('a connection that is ready only after the connect timeout is not used, even if the process noticed both at once', async () => {
  let heard = 0
  const { url } = await http((_, res) => {
    heard += 1
    res.end()
  })
  const { port } = new URL(url)
  // Both connections are ready at the same time. The first one blocks the process, as a stopped process would be.
  const first = connect(Number(port), '127.0.0.1', () =>
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400),
  )
  sockets.add(first)
  expect(await post(url, { connectTimeoutMs: 200 })).toMatchObject({ kind: 'not_sent' })
  await post(url)
  expect(heard).toBe(1)
})

test('a call that its caller stops while its connection is made is `not_sent`, and no byte of it is written', async () => {
  const heard = Promise.withResolvers<string>()
  const origin = await tcp((socket) => {
    let bytes = ''
    socket.on('data', (more) => (bytes += more.toString())).on('close', () => heard.resolve(bytes))
  })
  const connecting = Promise.withResolvers<() => void>()
  const lookup: LookupFunction = (_name, _options, callback) =>
    connecting.resolve(() => callback(null, [{ address: '127.0.0.1', family: 4 }]))
  let [isStopped, isStarted] = [false, false]
  const result = post(origin.replace('127.0.0.1', 'slow.test'), {
    lookup,
    mayStart: () => !isStopped,
    onStarted: () => (isStarted = true),
  })
  const goOn = await connecting.promise
  isStopped = true
  goOn()
  expect(await result).toMatchObject({ kind: 'not_sent' })
  expect(await heard.promise).toBe('')
  expect(isStarted).toBe(false)
})
