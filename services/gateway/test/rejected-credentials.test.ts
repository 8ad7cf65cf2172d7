import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'
import { timesAsked } from './neighbours.ts'
import { audience } from './people-and-senders.ts'
import { credentialedSource, handIn, signUp } from './subscription-sources.ts'

let gateway: GatewayStage
let edge: Pick<GatewayStage, 'call'>
let owner: Browser
/** the tokens that the wallet introspected */
const asked: string[] = []

/** A proxy between gateway and wallet that records the calls. */
const counting = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    asked.push(new URLSearchParams(body).get('token') ?? '')
    const headers = {
      authorization: String(req.headers.authorization),
      'content-type': String(req.headers['content-type']),
    }
    fetch(`${gateway.walletUrl}${req.url}`, { method: 'POST', headers, body }).then(
      async (answer) => res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
      () => res.destroy(),
    )
  })
})

beforeAll(async () => {
  gateway = await gatewayStage({ RATE_LIMIT_SOURCE_REFUSALS_PER_MINUTE: '4' })
  counting.listen(0, '127.0.0.1')
  await once(counting, 'listening')
  edge = await gateway.replica({
    WALLET_BASE_URL: `http://127.0.0.1:${(counting.address() as AddressInfo).port}`,
    RATE_LIMIT_REJECTED_CREDENTIALS_PER_MINUTE: '6',
    REJECTED_CREDENTIAL_SECONDS: '60',
  })
  owner = await signIn(gateway, 'owner')
})
afterAll(async () => {
  await gateway.close()
  counting.closeAllConnections()
  counting.close()
})

const me = (token: string, address: string) =>
  edge.call('GET', '/api/v1/me', { headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address } })
/** Sends this many requests, ten at a time, because the wallet runs in this process and has two seconds for each answer. */
async function inTens<T>(count: number, request: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (let from = 0; from < count; from += 10)
    answers.push(
      ...(await Promise.all(Array.from({ length: Math.min(10, count - from) }, (_, at) => request(from + at)))),
    )
  return answers
}
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status)

test('a flood of one rejected token causes one call to the wallet, and is 401', async () => {
  asked.length = 0
  const answers = await inTens(200, () => me('wallet-session-unknown', '10.1.0.1'))
  expect(new Set(statuses(answers))).toEqual(new Set([401]))
  expect(asked).toEqual(['wallet-session-unknown'])
})

test('a flood of different tokens of one address causes few calls to the wallet, and is 429 with Retry-After', async () => {
  asked.length = 0
  const flood = await inTens(200, (index) => me(`wallet-session-${index}`, '10.2.0.1'))
  expect(asked).toHaveLength(6)
  expect(flood.filter(({ status }) => status === 401)).toHaveLength(6)
  const over = flood.find(({ status }) => status === 429)!
  expect(flood.filter(({ status }) => status === 429)).toHaveLength(194)
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(over.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(over.text).toContain('Too many requests')
})

test('known callers are accepted from a flooding address, and all callers from other addresses', async () => {
  expect((await me('wallet-session-dev-editor', '10.3.0.1')).status).toBe(200)
  await inTens(50, (index) => me(`wallet-session-${index}x`, '10.3.0.1'))
  expect((await me('wallet-session-more', '10.3.0.1')).status).toBe(429)
  expect((await me('wallet-session-dev-editor', '10.3.0.1')).status).toBe(200)
  expect((await me('wallet-session-dev-analyst', '10.3.0.2')).status).toBe(200)
})

test('invalid session cookies are limited by address, too', async () => {
  const ask = (cookie: string) =>
    edge.call('GET', '/api/v1/me', { headers: { cookie: `session=${cookie}`, 'x-forwarded-for': '10.4.0.1' } })
  const answers = await inTens(20, (index) => ask(`made-up-${index}`))
  expect(statuses(answers).filter((status) => status === 401)).toHaveLength(6)
  expect(statuses(answers).filter((status) => status === 429)).toHaveLength(14)
})

test('invalid session cookies of sign-outs are limited by address, and a session still ends', async () => {
  const signOut = (headers: Record<string, string>) =>
    edge.call('POST', '/console/auth/sign-out', { headers: { 'x-forwarded-for': '10.6.0.1', ...headers } })
  const browser = await signIn(gateway, 'editor')
  const known = { cookie: browser.cookie, 'x-csrf-token': browser.csrfToken }
  expect((await signOut({ ...known, 'x-csrf-token': 'other' })).status).toBe(403)
  const answers = await inTens(20, (index) => signOut({ cookie: `session=signed-out-${index}` }))
  expect(statuses(answers).filter((status) => status === 401)).toHaveLength(6)
  expect(statuses(answers).filter((status) => status === 429)).toHaveLength(14)
  expect((await signOut(known)).status).toBe(200)
  expect((await signOut(known)).status).toBe(401)
})

test('a sign-in asks the wallet only about what can be a token', async () => {
  const { headers } = await edge.call('GET', '/console/auth/sign-in')
  const state = new URL(headers.get('location')!).searchParams.get('state')!
  const back = async (token: string) => {
    const search = new URLSearchParams({ state, sso_token: token }).toString()
    return edge.call('GET', `/console/auth/callback?${search}`, { headers: { cookie: `sign_in_state=${state}` } })
  }
  asked.length = 0
  for (const token of [
    `wallet-session-${'x'.repeat(4_096)}`,
    'wallet-session-\0',
    'wallet-session-a b',
    'wallet-session-é',
  ])
    expect((await back(token)).status).toBe(401)
  expect(asked).toEqual([])
  expect((await back('wallet-session-unknown')).status).toBe(401)
  expect(asked).toEqual(['wallet-session-unknown'])
})

test('a flood of unknown source credentials causes no work above the limit, and a known source is accepted', async () => {
  const audienceId = await audience(gateway)
  const source = await credentialedSource(owner)
  const send = (token: string) =>
    handIn(gateway, source.slug, { token, body: signUp(audienceId), headers: { 'x-forwarded-for': '10.5.0.1' } })
  expect((await send(source.credential)).status).toBe(200)
  const calls = async () =>
    (await timesAsked(gateway.contacts, 'AdmitSource')) +
    (await timesAsked(gateway.contacts, 'IngestSubscriptionEvent'))
  const before = await calls()
  const flood = await inTens(100, (index) => send(`lgs_guess-${index}`))
  expect(statuses(flood).filter((status) => status === 401)).toHaveLength(4)
  expect(statuses(flood).filter((status) => status === 429)).toHaveLength(96)
  expect((await calls()) - before).toBe(4)
  expect((await send(source.credential)).status).toBe(200)
})
