import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { sign } from '@lettergate/local/mail-provider/event-payload'
import {
  eventData,
  expectPage,
  form,
  json,
  multipart,
  otherKey,
  signed,
  signingKey,
  webhookStage,
  withLockedEvents,
  type WebhookStage,
} from './webhook-stage.ts'

let world: WebhookStage
let connection: { id: string; workspaceId: string }

beforeAll(async () => {
  world = await webhookStage()
  connection = await world.connection()
})
afterAll(() => world.close())

const alertsOf = async (connectionId: string) =>
  (await world.announced(AlertRaisedSchema)).filter(({ data }) => data.detail?.['connection_id'] === connectionId)

describe('a refusal that stores and publishes nothing:', () => {
  /** Expects that the request is refused with that status and that the stored events did not change. */
  async function refused(status: number, connectionId: string, init: RequestInit) {
    const count = async () =>
      (
        await world.stage.query<{ n: string }>(
          `select (select count(*) from webhooks.provider_events) || '/' || (select count(*) from webhooks.consumed_tokens) || '/' || (select count(*) from webhooks.outbox where event = 'provider_event_received') as n`,
        )
      )[0]!.n
    const before = await count()
    const answer = await world.send(connectionId, init)
    expectPage(answer, status)
    expect(await count()).toBe(before)
    return answer
  }

  test.each([
    ['an unknown connection', randomUUID()],
    ['an id that is not a UUID', 'not-a-uuid'],
    ['an id with a NUL', '%00'],
    ['a very long id', 'a'.repeat(5_000)],
  ])('%s is 404', (_, id) => refused(404, id, json(JSON.stringify(signed(eventData())))))

  test.each([
    ['malformed JSON', json('{"signature":')],
    ['no body', { headers: { 'content-type': 'application/json' } }],
    ['an empty body', json('')],
    ['a JSON list', json('[]')],
    ['a JSON text', json('"x"')],
    ['no signature', json(JSON.stringify({ 'event-data': eventData() }))],
    ['no event-data', json(JSON.stringify({ signature: sign(signingKey) }))],
    ['event-data that is a list', json(JSON.stringify({ signature: sign(signingKey), 'event-data': [] }))],
    ['event-data that is null', json(JSON.stringify({ signature: sign(signingKey), 'event-data': null }))],
    [
      'a signature without a token',
      json(JSON.stringify({ signature: { ...sign(signingKey), token: undefined }, 'event-data': eventData() })),
    ],
    [
      'a signature with a number for its time',
      json(JSON.stringify({ signature: { ...sign(signingKey), timestamp: 1_700_000_000 }, 'event-data': eventData() })),
    ],
    ['a form without a signature', form({ 'event-data': JSON.stringify(eventData()) })],
    ['a form whose signature is not JSON', form({ 'event-data': JSON.stringify(eventData()), signature: 'x' })],
    ['a form whose event-data is not JSON', form({ 'event-data': '{', signature: JSON.stringify(sign(signingKey)) })],
    ['a multipart body without its boundary', { headers: { 'content-type': 'multipart/form-data' }, body: 'x' }],
    [
      'a cut multipart body',
      {
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: '--b\r\nContent-Disposition: form-data; name="signature"\r\n\r\n{',
      },
    ],
    [
      'a multipart body with a file for event-data',
      multipart({ 'event-data': new Blob([JSON.stringify(eventData())]), signature: JSON.stringify(sign(signingKey)) }),
    ],
    [
      'bytes that are not UTF-8',
      { headers: { 'content-type': 'application/json' }, body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]) },
    ],
    [
      'an event nested without end',
      json(JSON.stringify(signed(eventData({ x: JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)) as unknown })))),
    ],
    ['a kind outside the seven', json(JSON.stringify(signed(eventData({ event: 'permanent_fail' }))))],
    ['no kind', json(JSON.stringify(signed(eventData({ event: undefined }))))],
    ['no id', json(JSON.stringify(signed(eventData({ id: undefined }))))],
    ['an empty id', json(JSON.stringify(signed(eventData({ id: '' }))))],
    ['an id with a NUL', json(JSON.stringify(signed(eventData({ id: 'a\0b' }))))],
    ['an id that is a number', json(JSON.stringify(signed(eventData({ id: 7 }))))],
    ['a time that is a text', json(JSON.stringify(signed(eventData({ timestamp: '1700000000' }))))],
    ['a negative time', json(JSON.stringify(signed(eventData({ timestamp: -1 }))))],
    ['a time that is too large', json(JSON.stringify(signed(eventData({ timestamp: 1e300 }))))],
  ])('%s is 422', (_, init) => refused(422, connection.id, init))

  test('a missing part is named', async () => {
    expect(
      (await refused(422, connection.id, json(JSON.stringify(signed(eventData({ event: 'bounced' })))))).text,
    ).toContain('event-data.event')
    expect((await refused(422, connection.id, json(JSON.stringify({ 'event-data': eventData() })))).text).toContain(
      'signature',
    )
  })

  test.each([
    ['text/plain', 'text/plain'],
    ['XML', 'application/xml'],
    ['another charset', 'application/json; charset=utf-7'],
    ['no content type', ''],
  ])('%s is 415', (_, type) =>
    refused(415, connection.id, {
      headers: type === '' ? {} : { 'content-type': type },
      body: new Uint8Array(Buffer.from(JSON.stringify(signed(eventData())))),
    }),
  )

  test('a body over 1 MiB is 413, a body a little below 1 MiB is accepted', async () => {
    const body = (bytes: number) => JSON.stringify(signed(eventData({ filler: 'a'.repeat(bytes) })))
    await refused(413, connection.id, json(body(1_048_576)))
    expect((await world.send(connection.id, json(body(1_000_000)))).json.status).toBe('processed')
  })

  test('another method is 405 with Allow', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await world.send(connection.id, { method })
      expectPage(answer, 405)
      expect(answer.headers.get('allow')).toBe('POST')
    }
  })

  test.each([
    ['a forged signature', { ...sign(signingKey), signature: '0'.repeat(64) }],
    ['another key', sign(otherKey)],
    ['a signature that is not hexadecimal', { ...sign(signingKey), signature: 'x' }],
    ['a signature with extra characters', { ...sign(signingKey), signature: `${sign(signingKey).signature}00` }],
  ])('%s is 401', (_, signature) =>
    refused(401, connection.id, json(JSON.stringify({ signature, 'event-data': eventData() }))),
  )

  test('a forger with an unsupported event learns only that the signature is wrong', () =>
    refused(
      401,
      connection.id,
      json(JSON.stringify({ signature: sign(otherKey), 'event-data': eventData({ event: 'x' }) })),
    ))

  test.each([
    ['never named', undefined],
    ['not set', 'MAILPROVIDER_MISSING_KEY'],
    ['too short', 'MAILPROVIDER_SHORT_KEY'],
  ])('a connection whose signing key is %s takes nothing (401) and raises one alert', async (_, keyName) => {
    const keyless = await world.connection({ keyName })
    for (const key of [signingKey, 'short', ''])
      await refused(401, keyless.id, json(JSON.stringify(signed(eventData(), key))))
    expect(await alertsOf(keyless.id)).toMatchObject([
      {
        workspaceId: keyless.workspaceId,
        data: { code: 'webhook_signing_key_missing', severity: 'critical', about: keyless.id, lastsSeconds: 1_200 },
      },
    ])
  })

  test('ten wrong signatures of one connection raise one alert, which ends by itself, and nine raise none', async () => {
    const [few, many] = [await world.connection(), await world.connection()]
    const forge = (id: string) => refused(401, id, json(JSON.stringify(signed(eventData(), otherKey))))
    for (let n = 0; n < 9; n += 1) await forge(few.id)
    for (let n = 0; n < 12; n += 1) await forge(many.id)
    expect(await alertsOf(few.id)).toEqual([])
    expect(await alertsOf(many.id)).toMatchObject([
      {
        workspaceId: many.workspaceId,
        data: { code: 'webhook_signatures_refused', about: many.id, lastsSeconds: 1_200 },
      },
    ])
  })

  test('an event that cannot be stored before the timeout is 503, and its retry is stored', async () => {
    const body = JSON.stringify(signed(eventData()))
    await withLockedEvents(world, async () => expectPage(await world.send(connection.id, json(body)), 503))
    expect((await world.send(connection.id, json(body))).json.status).toBe('processed')
  })
})

test('refusals are counted by reason, and events with their age', async () => {
  const lines = (await (await fetch(world.metricsUrl)).text()).split('\n')
  const counted = (name: string, label: string) =>
    lines.some((line) => line.startsWith(`${name}{`) && line.includes(label) && Number(line.split(' ').at(-1)) > 0)
  const reasons = [
    'signature',
    'connection',
    'unreadable_body',
    'content_type',
    'signing_key_missing',
    'body_too_large',
  ]
  for (const reason of reasons) {
    expect({ reason, counted: counted('lettergate_webhook_refusals_total', `reason="${reason}"`) }).toEqual({
      reason,
      counted: true,
    })
  }
  expect(counted('lettergate_webhook_events_total', 'result="processed"')).toBe(true)
  expect(counted('lettergate_webhook_event_age_seconds_count', 'event="delivered"')).toBe(true)
})
