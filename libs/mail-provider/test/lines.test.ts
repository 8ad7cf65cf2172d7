import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { problemOf } from '@lettergate/mail-provider/answer'
import { providerLines, type ProviderLines } from '@lettergate/mail-provider/lines'

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
const ask = (lines: ProviderLines, connectionId = 'a', more: object = {}) =>
  lines.call(connectionId, {
    method: 'GET',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${connectionId}`,
    timeoutMs: 2_000,
    ...more,
  })
const outcome = async (call: ReturnType<ProviderLines['call']>) => {
  const result = await call
  return result.kind === 'resting' ? `resting: ${result.problem}` : (problemOf(result) ?? 'ok')
}

test.each([
  ['seconds', () => '30', 29_000, 31_000],
  ['a date', () => new Date(Date.now() + 60_000).toUTCString(), 57_000, 61_000],
  ['nothing', () => undefined, 0, 1_100],
])('no call is made before Retry-After, given in %s; other connections go on', async (_, header, before, after) => {
  const lines = providerLines({ clock })
  const retryAfter = header()
  behave = status(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
  expect(await outcome(ask(lines))).toBe('rate_limited')
  behave = ok
  skipMs += before
  expect(await outcome(ask(lines))).toBe('resting: rate_limited')
  expect(await outcome(ask(lines, 'b'))).toBe('ok')
  skipMs += after - before
  expect(await outcome(ask(lines))).toBe('ok')
  expect(calls).toEqual(['/a', '/b', '/a'])
})

test.each([
  ['errors', status(500), 'failing'],
  ['resets', (req: IncomingMessage) => req.socket.resetAndDestroy(), 'unreachable'],
  [
    'half answers',
    (_: IncomingMessage, res: ServerResponse) =>
      res.writeHead(200, { 'content-length': '100' }).write('{"half', () => res.socket?.destroy()),
    'unreachable',
  ],
  ['pages of somebody in between', status(302), 'unreadable'],
])('after five %s in a row nothing is asked, until one call finds the provider back', async (_, trouble, problem) => {
  const lines = providerLines({ clock })
  behave = trouble
  for (let n = 0; n < 5; n += 1) expect(await outcome(ask(lines))).toBe(problem)
  expect(await outcome(ask(lines))).toBe('resting: unreachable')
  expect(calls).toHaveLength(5)
  expect(await outcome(ask(lines, 'b'))).toBe(problem)

  skipMs += 5_100
  expect(await outcome(ask(lines))).toBe(problem)
  expect(await outcome(ask(lines))).toBe('resting: unreachable')
  behave = ok
  skipMs += 5_100
  const both = await Promise.all([outcome(ask(lines)), outcome(ask(lines))])
  expect(both).toEqual(['ok', 'ok'])
})

test('answers about a request or a credential are no outage', async () => {
  const lines = providerLines({ clock })
  for (const code of [400, 401, 402, 403, 404, 409, 400, 401]) {
    behave = status(code)
    await ask(lines)
  }
  behave = ok
  expect(await outcome(ask(lines))).toBe('ok')
})

test('a refused credential is left alone only by who asks again without people', async () => {
  const lines = providerLines({ clock, refusalRestMs: 60_000 })
  behave = status(401)
  expect(await outcome(ask(lines))).toBe('credential_refused')
  expect(await outcome(ask(lines))).toBe('resting: credential_refused')
  behave = ok
  expect(await outcome(ask(lines, 'b'))).toBe('ok')
  skipMs += 60_100
  expect(await outcome(ask(lines))).toBe('ok')
  expect(calls).toEqual(['/a', '/b', '/a'])
})

test('a connection has so many calls at once and no more, the others wait their turn, and another is not among them', async () => {
  const lines = providerLines({ clock, atOnce: 3 })
  let running = 0
  let most = 0
  behave = async (req, res) => {
    const isCounted = req.url === '/a'
    if (isCounted) most = Math.max(most, (running += 1))
    await sleep(40)
    if (isCounted) running -= 1
    res.end('{}')
  }
  const asked = Array.from({ length: 12 }, () => outcome(ask(lines)))
  expect(await outcome(ask(lines, 'b'))).toBe('ok')
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 12 }, () => 'ok'))
  expect(most).toBe(3)
})

test('whoever gets no turn in time, or gives up, asks nothing', async () => {
  const lines = providerLines({ clock, atOnce: 1 })
  behave = () => undefined // never answers
  const first = outcome(ask(lines, 'a', { timeoutMs: 600 }))
  const late = outcome(ask(lines, 'a', { timeoutMs: 100 }))
  const controller = new AbortController()
  const aborted = outcome(ask(lines, 'a', { signal: controller.signal }))
  controller.abort()
  expect(await Promise.all([late, aborted])).toEqual(['resting: unreachable', 'resting: unreachable'])
  expect(await first).toBe('unreachable')
  expect(calls).toEqual(['/a'])
})

test('an answer that comes a byte at a time ends with the call', async () => {
  const lines = providerLines({ clock })
  behave = async (_, res) => {
    res.writeHead(200)
    for (let n = 0; n < 50 && !res.destroyed; n += 1) {
      res.write(' ')
      await sleep(50)
    }
  }
  const slow = ask(lines, 'a', { timeoutMs: 300 })
  expect(await outcome(slow)).toBe('unreachable')
})

test('a thousand and more connections are remembered, and the ones used longest ago are forgotten', async () => {
  const lines = providerLines({ clock, refusalRestMs: 60_000 })
  behave = status(401)
  await ask(lines, 'first')
  behave = ok
  for (let n = 0; n < 1_000; n += 1) await ask(lines, `c${n}`)
  expect(await outcome(ask(lines, 'first'))).toBe('ok')
}, 60_000)
