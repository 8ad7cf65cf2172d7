import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { problemOf } from '@lettergate/mail-provider/answer'
import { providerConnections, type ProviderConnections } from '@lettergate/mail-provider/connections'

let behave: (req: IncomingMessage, res: ServerResponse) => unknown
let calls: string[] = []
let skipMs = 0
const sockets = new Set<Socket>()
const server = createServer((req, res) => {
  calls.push(req.url ?? '')
  void behave(req, res)
})
server.on('connection', (socket) => {
  sockets.add(socket)
  socket.on('error', () => undefined)
})
const clock = () => performance.now() + skipMs

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
beforeEach(() => {
  calls = []
  behave = ok
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  server.close()
  await once(server, 'close')
})

const ok = (_: IncomingMessage, res: ServerResponse) => res.setHeader('content-type', 'application/json').end('{}')
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, res: ServerResponse) =>
    res.writeHead(code, headers).end('{}')
const ask = (connections: ProviderConnections, connectionId = 'a', more: object = {}) =>
  connections.call(connectionId, {
    method: 'GET',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${connectionId}`,
    timeoutMs: 2_000,
    ...more,
  })
const outcome = async (call: ReturnType<ProviderConnections['call']>) => {
  const result = await call
  return result.kind === 'not_called' ? `not called: ${result.problem}` : (problemOf(result) ?? 'ok')
}

test.each([
  ['seconds', () => '30', 29_000, 31_000],
  ['a date', () => new Date(Date.now() + 60_000).toUTCString(), 30_000, 61_000],
  ['nothing', () => undefined, 0, 1_100],
])(
  'no call is made before Retry-After, given as %s; other connections are not affected',
  async (_, header, before, after) => {
    // It stands still: a pause of the machine is no time.
    const connections = providerConnections({ clock: () => skipMs })
    const retryAfter = header()
    behave = status(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    expect(await outcome(ask(connections))).toBe('rate_limited')
    behave = ok
    skipMs += before
    expect(await outcome(ask(connections))).toBe('not called: rate_limited')
    expect(await outcome(ask(connections, 'b'))).toBe('ok')
    skipMs += after - before
    expect(await outcome(ask(connections))).toBe('ok')
    expect(calls).toEqual(['/a', '/b', '/a'])
  },
)

test.each([
  ['errors', status(500), 'failing'],
  ['resets', (req: IncomingMessage) => req.socket.resetAndDestroy(), 'unreachable'],
  [
    'incomplete answers',
    (_: IncomingMessage, res: ServerResponse) =>
      res.writeHead(200, { 'content-length': '100' }).write('{"half', () => res.socket?.destroy()),
    'unreachable',
  ],
  ['redirects of a proxy', status(302), 'unreadable'],
])('after five %s in a row no call is made, until one trial call succeeds', async (_, failure, problem) => {
  const connections = providerConnections({ clock })
  behave = failure
  for (let n = 0; n < 5; n += 1) expect(await outcome(ask(connections))).toBe(problem)
  expect(await outcome(ask(connections))).toBe('not called: unreachable')
  expect(calls).toHaveLength(5)
  expect(await outcome(ask(connections, 'b'))).toBe(problem)

  skipMs += 5_100
  expect(await outcome(ask(connections))).toBe(problem)
  expect(await outcome(ask(connections))).toBe('not called: unreachable')
  behave = ok
  skipMs += 5_100
  const both = await Promise.all([outcome(ask(connections)), outcome(ask(connections))])
  expect(both).toEqual(['ok', 'ok'])
})

test('answers about a request or a credential do not open the circuit breaker', async () => {
  const connections = providerConnections({ clock })
  for (const code of [400, 401, 402, 403, 404, 409, 400, 401]) {
    behave = status(code)
    await ask(connections)
  }
  behave = ok
  expect(await outcome(ask(connections))).toBe('ok')
})

test('after a refused credential no call is made during the cooldown of the option', async () => {
  const connections = providerConnections({ clock, refusalCooldownMs: 60_000 })
  behave = status(401)
  expect(await outcome(ask(connections))).toBe('credential_refused')
  expect(await outcome(ask(connections))).toBe('not called: credential_refused')
  behave = ok
  expect(await outcome(ask(connections, 'b'))).toBe('ok')
  skipMs += 60_100
  expect(await outcome(ask(connections))).toBe('ok')
  expect(calls).toEqual(['/a', '/b', '/a'])
})

test('a connection never exceeds its concurrent calls, further calls wait, and another connection is not affected', async () => {
  const connections = providerConnections({ clock, concurrency: 3 })
  let running = 0
  let most = 0
  behave = async (req, res) => {
    const isCounted = req.url === '/a'
    if (isCounted) most = Math.max(most, (running += 1))
    await sleep(40)
    if (isCounted) running -= 1
    res.end('{}')
  }
  const asked = Array.from({ length: 12 }, () => outcome(ask(connections)))
  expect(await outcome(ask(connections, 'b'))).toBe('ok')
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 12 }, () => 'ok'))
  expect(most).toBe(3)
})

test('a call without a free place before its timeout, or aborted while it waits, is not made', async () => {
  const connections = providerConnections({ clock, concurrency: 1 })
  behave = () => undefined // never answers
  const first = outcome(ask(connections, 'a', { timeoutMs: 600 }))
  const late = outcome(ask(connections, 'a', { timeoutMs: 100 }))
  const controller = new AbortController()
  const aborted = outcome(ask(connections, 'a', { signal: controller.signal }))
  controller.abort()
  expect(await Promise.all([late, aborted])).toEqual(['not called: unreachable', 'not called: unreachable'])
  expect(await first).toBe('unreachable')
  expect(calls).toEqual(['/a'])
})

test('an answer that arrives one byte at a time ends with the timeout of the call', async () => {
  const connections = providerConnections({ clock })
  behave = async (_, res) => {
    res.writeHead(200)
    for (let n = 0; n < 50 && !res.destroyed; n += 1) {
      res.write(' ')
      await sleep(50)
    }
  }
  const slow = ask(connections, 'a', { timeoutMs: 300 })
  expect(await outcome(slow)).toBe('unreachable')
})

test('of more than a thousand connections the least recently used state is deleted', async () => {
  const connections = providerConnections({ clock, refusalCooldownMs: 60_000 })
  behave = status(401)
  await ask(connections, 'first')
  behave = ok
  for (let n = 0; n < 1_000; n += 1) await ask(connections, `c${n}`)
  expect(await outcome(ask(connections, 'first'))).toBe('ok')
})
