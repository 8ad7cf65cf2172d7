import { afterEach, expect, test } from '@jest/globals'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createService, type Service } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { openWallet, type Wallet } from './wallet.ts'

const ours = 'wallet-session-probe'

const good = { active: true, sub: 'u1', username: 'One', identity_type: 'human', token_use: 'session', scope: '' }

interface Played {
  wallet: Wallet
  calls: string[]
  answer: { status: number; body: string; delayMs: number; headers: Record<string, string> }
  /** tokens whose answers are delayed by this time */
  slow: Map<string, number>
}

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** A wallet on a real port with the answers of the test. */
async function play(cacheSeconds = 0): Promise<Played> {
  const calls: string[] = []
  const answer: Played['answer'] = { status: 200, body: JSON.stringify(good), delayMs: 0, headers: {} }
  const slow = new Map<string, number>()
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => (body += chunk.toString()))
    req.on('end', () => {
      const token = new URLSearchParams(body).get('token') ?? ''
      calls.push(token)
      setTimeout(
        () => res.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body),
        slow.get(token) ?? answer.delayMs,
      ).unref()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const service: Service = createService('gateway', { logLevel: 'silent' })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const wallet = openWallet(service, { baseUrl, clientId: 'c', clientSecret: 's', cacheSeconds })
  stops.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
    () => wallet.stop(),
  )
  return { wallet, calls, answer, slow }
}

test('concurrent introspections of one token share one call, and its answer is not reused', async () => {
  const { wallet, calls, answer } = await play()
  answer.delayMs = 30
  const asked = await Promise.all([1, 2, 3].map(() => wallet.introspect('t')))
  expect(asked).toEqual(
    Array.from({ length: 3 }, () => ({
      walletUserId: 'u1',
      username: 'One',
      identityType: 'human',
      tokenUse: 'session',
      scope: '',
    })),
  )
  expect(calls).toHaveLength(1)
  await wallet.introspect('t')
  expect(calls).toHaveLength(2)
})

test('with a cache of n seconds an answer is reused for its token, also a refusal', async () => {
  const { wallet, calls, answer } = await play(60)
  await wallet.introspect('t')
  await wallet.introspect('t')
  expect(calls).toEqual(['t'])
  answer.body = '{"active":false}'
  expect(await wallet.introspect('u')).toBeNull()
  expect(await wallet.introspect('u')).toBeNull()
  expect(calls).toEqual(['t', 'u'])
})

test.each([
  ['a token past its time', { ...good, exp: Math.floor(Date.now() / 1000) - 1 }],
  ['an inactive token', { active: false }],
])('%s is an unknown token', async (_, body) => {
  const { wallet, answer } = await play()
  answer.body = JSON.stringify(body)
  expect(await wallet.introspect('t')).toBeNull()
})

test.each([
  ['another status', 500, '{}'],
  ['a client that the wallet does not know', 401, '{}'],
  ['no JSON', 200, '<h1>It works!</h1>'],
  ['a list', 200, '[]'],
  ['null', 200, 'null'],
  ['no subject', 200, JSON.stringify({ ...good, sub: undefined })],
  ['an active that is no boolean', 200, JSON.stringify({ ...good, active: 'true' })],
  ['an unknown use', 200, JSON.stringify({ ...good, token_use: 'other' })],
  ['an unknown identity type', 200, JSON.stringify({ ...good, identity_type: 'robot' })],
  ['more than 64 kB', 200, JSON.stringify({ ...good, padding: 'x'.repeat(70_000) })],
])('%s is `unavailable`, neither valid nor invalid', async (_, status, body) => {
  const { wallet, answer } = await play()
  Object.assign(answer, { status, body })
  await expect(wallet.introspect('t')).rejects.toMatchObject({ code: 'unavailable', reason: 'wallet' })
})

test.each([
  ['refuses to look at', 400, '{}'],
  ['knows, of somebody who is neither human nor agent', 200, JSON.stringify({ ...good, identity_type: 'robot' })],
])('a token that the wallet %s does not affect other tokens', async (_, status, body) => {
  const { wallet, answer } = await play()
  const fine = { ...answer }
  Object.assign(answer, { status, body, delayMs: 0 })
  await expect(wallet.introspect('strange')).rejects.toMatchObject({ code: 'unavailable' })
  // slower than the timeout of a trial call while the wallet counts as down
  Object.assign(answer, { ...fine, delayMs: 200 })
  expect(await Promise.all(['t', 'u', 'v'].map((token) => wallet.introspect(token)))).toHaveLength(3)
})

test('one slow answer is a 503 for its caller; others are answered meanwhile and afterwards', async () => {
  const { wallet, calls, slow } = await play()
  slow.set('slow', 3_600_000)
  const waiting = wallet.introspect('slow').catch((error: unknown) => error)
  expect(await wallet.introspect('t')).toMatchObject({ walletUserId: 'u1' })
  expect(await waiting).toMatchObject({ code: 'unavailable', reason: 'wallet' })
  // Concurrent: while the wallet counts as down, only one of them would be called.
  const asked = await Promise.all(Array.from({ length: 20 }, (_, index) => wallet.introspect(`t${index}`)))
  expect(asked).toHaveLength(20)
  await until(() => calls.includes(ours))
})

test('many slow tokens do not make the wallet count as down for others', async () => {
  const { wallet, slow } = await play()
  const tokens = Array.from({ length: 20 }, (_, index) => `slow${index}`)
  for (const token of tokens) slow.set(token, 3_600_000)
  const refused = await Promise.allSettled(tokens.map((token) => wallet.introspect(token)))
  expect(refused.every(({ status }) => status === 'rejected')).toBe(true)
  expect(await Promise.all(['t', 'u', 'v'].map((token) => wallet.introspect(token)))).toHaveLength(3)
})

test.each([
  ['17', '17'],
  ['100000', '60'],
  ['3600', '60'],
  ['Wed, 21 Oct 2026 07:28:00 GMT', '1'],
])(
  'a 429 of the wallet with Retry-After %s is 503 with %s, and others are asked about as before',
  async (given, told) => {
    const { wallet, calls, answer } = await play()
    Object.assign(answer, { status: 429, headers: { 'retry-after': given } })
    for (let again = 0; again < 5; again += 1)
      await expect(wallet.introspect('t')).rejects.toMatchObject({
        code: 'unavailable',
        reason: 'wallet_busy',
        status: 503,
        headers: { 'Retry-After': told },
      })
    expect(calls).toEqual(['t', 't', 't', 't', 't'])
    Object.assign(answer, { status: 200, headers: {} })
    expect(await Promise.all(['t', 'u', 'v'].map((token) => wallet.introspect(token)))).toHaveLength(3)
  },
)

test('a hanging wallet is detected once; then callers get 503 at once until it answers again', async () => {
  const { wallet, calls, answer } = await play()
  answer.delayMs = 3_600_000
  await expect(wallet.introspect('t')).rejects.toMatchObject({ code: 'unavailable' })
  await until(() => calls.filter((token) => token === ours).length > 1) // the probe failed, and is repeated
  calls.length = 0
  const asked = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => wallet.introspect(`t${index}`)))
  expect(asked.every(({ status }) => status === 'rejected')).toBe(true)
  expect(calls.length).toBeLessThan(5) // the others were answered without a call
  answer.delayMs = 0
  await until(() =>
    wallet.introspect('t').then(
      () => true,
      () => false,
    ),
  )
})

test('many concurrent requests with one token share the call with later ones, and a single later request is not delayed for long', async () => {
  const { wallet, calls } = await play()
  await Promise.all(Array.from({ length: 20 }, () => wallet.introspect('t')))
  const first = wallet.introspect('t')
  await new Promise((resolve) => setImmediate(resolve))
  expect(calls).toEqual(['t'])
  await Promise.all([first, wallet.introspect('t')])
  expect(calls).toEqual(['t', 't'])
  await wallet.introspect('u')
  expect(calls).toEqual(['t', 't', 'u'])
})

test('a revoked token is refused by the next call, for any number of requests that share it', async () => {
  const { wallet, answer } = await play()
  await Promise.all(Array.from({ length: 20 }, () => wallet.introspect('t')))
  answer.body = JSON.stringify({ active: false })
  expect(await Promise.all(Array.from({ length: 20 }, () => wallet.introspect('t')))).toEqual(
    Array.from({ length: 20 }, () => null),
  )
})
