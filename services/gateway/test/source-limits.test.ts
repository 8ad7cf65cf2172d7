import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayAnswer, type GatewayStage } from './gateway-stage.ts'
import { audience } from './people-and-senders.ts'
import { audiencesOf, createSource, credentialedSource, grantFor, handIn, signUp } from './subscription-sources.ts'

let gateway: GatewayStage
let owner: Browser
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage({
    RATE_LIMIT_SOURCE_EVENTS_PER_MINUTE: '5',
    RATE_LIMIT_SOURCE_REFUSALS_PER_MINUTE: '4',
  })
  owner = await signIn(gateway, 'owner')
  audienceId = await audience(gateway)
})
afterAll(() => gateway.close())

/** X-Forwarded-For as the edge sends it; further left is the value of the client. */
const from = (address: string) => ({ 'x-forwarded-for': `6.6.6.6, ${address}` })
const send = (slug: string, token: string, address = '10.0.0.1') =>
  handIn(gateway, slug, { token, body: signUp(audienceId), headers: from(address) })

function expectTooMany({ status, headers, text }: GatewayAnswer) {
  expect(status).toBe(429)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(text).toContain('Too many requests')
}

test('a credential has a limit of sign-ups per minute, and others are not affected', async () => {
  const source = await credentialedSource(owner)
  const other = await credentialedSource(owner)
  const statuses = await Promise.all(Array.from({ length: 8 }, () => send(source.slug, source.credential)))
  expect(statuses.filter(({ status }) => status === 200)).toHaveLength(5)
  expectTooMany(await send(source.slug, source.credential))
  expect((await audiencesOf(gateway, source.slug, source.credential)).status).toBe(200)
  expect((await send(other.slug, other.credential)).status).toBe(200)
})

test('all grants of one source share one limit', async () => {
  const source = await createSource(gateway)
  for (let again = 0; again < 5; again += 1)
    expect((await send(source.slug, await grantFor(gateway, source.id, 'events.write'))).status).toBe(200)
  expectTooMany(await send(source.slug, await grantFor(gateway, source.id, 'events.write')))
})

test('requests with unknown credentials do not count for a source', async () => {
  const source = await credentialedSource(owner)
  const foreign = await createSource(gateway)
  const foreignGrant = await grantFor(gateway, foreign.id, 'events.write')
  for (let guess = 0; guess < 8; guess += 1) await send(source.slug, `lgs_guess-${guess}`, `10.1.0.${guess}`)
  for (let again = 0; again < 5; again += 1) expect((await send(source.slug, foreignGrant)).status).toBe(403)
  for (let again = 0; again < 5; again += 1) expect((await send(source.slug, source.credential)).status).toBe(200)
})

test('an unknown credential leaves no entry in the limits', async () => {
  const { slug } = await createSource(gateway)
  for (let again = 0; again < 7; again += 1)
    expect((await send(slug, 'lgs_the-same-guess', `10.4.0.${again}`)).status).toBe(401)
})

test('guessed credentials are limited by client address and do not affect other addresses', async () => {
  const source = await credentialedSource(owner)
  expect((await send(source.slug, source.credential, '10.2.0.9')).status).toBe(200) // known from now on, from any address
  const guesses = ['lgs_a', 'wallet-grant-a', 'lgs_b', 'lgs_c']
  for (const token of guesses) expect((await send(source.slug, token, '10.2.0.1')).status).toBe(401)
  expectTooMany(await send(source.slug, 'lgs_d', '10.2.0.1'))
  expectTooMany(await send(source.slug, 'wallet-grant-b', '10.2.0.1'))
  expect((await send(source.slug, 'lgs_d', '10.2.0.2')).status).toBe(401)
  expect((await send(source.slug, source.credential, '10.2.0.1')).status).toBe(200)
})

/** A sign-up that the gateway has started to read; the rest of its body is sent by `finish`. */
async function beginUpload(slug: string, token: string, address: string) {
  const body = JSON.stringify(signUp(audienceId))
  const { promise: status, resolve, reject } = Promise.withResolvers<number>()
  const upload = request(`${gateway.baseUrl}${newsletter}/subscription-sources/${slug}/events`, {
    method: 'POST',
    headers: {
      ...from(address),
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      'idempotency-key': randomUUID(),
      expect: '100-continue',
    },
  })
  upload.on('response', (response) => {
    response.resume()
    resolve(response.statusCode!)
  })
  upload.on('error', reject)
  upload.flushHeaders()
  await once(upload, 'continue')
  upload.write(body.slice(0, 10))
  return { status, finish: () => upload.end(body.slice(10)), cut: () => upload.destroy() }
}

test('a slow upload does not block other requests of a new credential', async () => {
  const source = await credentialedSource(owner)
  const { id, slug } = await createSource(gateway)
  const grant = await grantFor(gateway, id, 'events.write')
  for (const one of [
    { slug: source.slug, token: source.credential },
    { slug, token: grant },
  ]) {
    const upload = await beginUpload(one.slug, one.token, '10.5.0.1')
    expect((await send(one.slug, one.token)).status).toBe(200)
    upload.finish()
    expect(await upload.status).toBe(200)
  }
})

test('a request without a valid credential is refused before its body is read', async () => {
  const source = await credentialedSource(owner)
  const upload = await beginUpload(source.slug, 'lgs_nobody-slow', '10.6.0.1')
  expect(await upload.status).toBe(401)
  upload.cut()
})

test('the platform gate removes the limits', async () => {
  const source = await credentialedSource(owner)
  const sixTimes = async (token: string, status: number) => {
    for (let again = 0; again < 6; again += 1) expect((await send(source.slug, token, '10.3.0.1')).status).toBe(status)
  }
  const set = (enabled: boolean) =>
    owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled } })
  await set(false)
  try {
    await sixTimes(source.credential, 200)
    await sixTimes('lgs_unknown', 401)
  } finally {
    await set(true)
  }
})
