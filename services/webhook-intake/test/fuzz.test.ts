import { connect } from 'node:net'
import fc from 'fast-check'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sign } from '@lettergate/local/mail-provider/event-payload'
import { eventData, json, signed, signingKey, webhookStage, type WebhookStage } from './webhook-stage.ts'

let world: WebhookStage
let connection: { id: string }

beforeAll(async () => {
  world = await webhookStage({ RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000' })
  connection = await world.connection()
})
afterAll(() => world.close())

function expectAnswer(answer: { status: number; headers: Headers }) {
  expect(answer.status).toBeLessThan(500)
  expect(answer.headers.get('x-correlation-id')).not.toBeNull()
  if (answer.status >= 400) expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
}

/** Values that often break Node.js and PostgreSQL services. */
const nasty: unknown[] = [
  'a\0b',
  '\ud800',
  '',
  'a'.repeat(100_000),
  '😀e\u0301',
  2_147_483_648,
  1e308,
  -0,
  'NaN',
  null,
  true,
  [],
  {},
  [[]],
  { __proto__: 1 },
  '0000-00-00',
  '../../x',
  '%00',
  "'; drop table provider_events; --",
]

test('a genuine signature with anything in the event is stored or refused, never an internal error', async () => {
  const value = fc.oneof(fc.constantFrom(...nasty), fc.jsonValue())
  const key = fc.constantFrom(
    'id',
    'event',
    'timestamp',
    'severity',
    'reason',
    'message',
    'user-variables',
    'delivery-status',
    'tags',
    '__proto__',
    'constructor',
  )
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, value), fc.boolean(), async (changes, plausible) => {
      expectAnswer(await world.deliver(connection.id, plausible ? { ...eventData(), ...changes } : changes))
    }),
    { numRuns: 150 },
  )
})

test('any body under any content type is answered', async () => {
  const type = fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=b',
    'text/plain',
  )
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), type, async (body, contentType) => {
      expectAnswer(
        await world.send(connection.id, {
          headers: { 'content-type': contentType },
          body: body as Uint8Array<ArrayBuffer>,
        }),
      )
    }),
    { numRuns: 80 },
  )
})

test.each([
  ['JSON of depth 100,000', `{"signature":${'['.repeat(100_000)}${']'.repeat(100_000)},"event-data":{}}`],
  [
    'an event of depth 100,000',
    `{"signature":${JSON.stringify(sign(signingKey))},"event-data":{"id":"deep","event":"opened","timestamp":1700000000,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
  ],
  [
    'duplicate keys',
    `{"signature":1,"signature":${JSON.stringify(sign(signingKey))},"event-data":[],"event-data":{"id":"twice","event":"opened","timestamp":1}}`,
  ],
  [
    '50,000 keys',
    JSON.stringify(
      signed(eventData(Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index])))),
    ),
  ],
])('%s is answered', async (_, body) => {
  expectAnswer(await world.send(connection.id, json(body)))
})

test('a form of 100,000 fields and a multipart body of 10,000 parts are answered', async () => {
  expectAnswer(
    await world.send(connection.id, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1&'.repeat(100_000),
    }),
  )
  expectAnswer(
    await world.send(connection.id, {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(10_000)}--b--\r\n`,
    }),
  )
})

test('a compressed body is accepted, and one that is too large when decompressed is 413', async () => {
  const compressed = (text: string) => ({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: new Uint8Array(gzipSync(text)),
  })
  expect((await world.send(connection.id, compressed(JSON.stringify(signed(eventData()))))).json.status).toBe(
    'processed',
  )
  for (const [encoding, compress] of [
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ] as const) {
    const body = new Uint8Array(compress(JSON.stringify(signed(eventData()))))
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    expect((await world.send(connection.id, { headers, body })).json.status).toBe('processed')
  }
  expect((await world.send(connection.id, compressed(' '.repeat(50_000_000)))).status).toBe(413)
  expect(
    (
      await world.send(connection.id, {
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: 'no gzip',
      })
    ).status,
  ).toBe(400)
  expect(
    (
      await world.send(connection.id, {
        headers: { 'content-type': 'application/json', 'content-encoding': 'zip' },
        body: '{}',
      })
    ).status,
  ).toBe(415)
})

test.each([
  [
    'an invalid path',
    'POST /webhooks/mailprovider/%zz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    /^HTTP\/1.1 4\d\d /,
  ],
  [
    'a path of another service',
    'POST /api/v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    /^HTTP\/1.1 404 /,
  ],
  [
    'an invalid length',
    'POST /webhooks/mailprovider/x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    /^HTTP\/1.1 400 /,
  ],
  [
    'two lengths',
    'POST /webhooks/mailprovider/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    /^HTTP\/1.1 400 /,
  ],
  [
    '1,000 headers',
    `POST /webhooks/mailprovider/x HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(1_000)}Content-Length: 0\r\nConnection: close\r\n\r\n`,
    /^HTTP\/1.1 4\d\d /,
  ],
  ['TRACE', 'TRACE /webhooks/mailprovider/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 405 /],
])('%s is refused as a page', async (_, bytes, status) => {
  const socket = connect(Number(new URL(world.baseUrl).port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  expect(answer).toMatch(status)
  expect(answer).toContain('<!doctype html>')
})

test('after all these requests the service is ready, and stores a genuine event', async () => {
  expect((await fetch(world.metricsUrl.replace('/metrics', '/healthz'))).status).toBe(200)
  expect((await world.deliver(connection.id, eventData())).json.status).toBe('processed')
})
