import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AlertRaisedSchema, ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { sign } from '@lettergate/local/mail-provider/event-payload'
import {
  asForm,
  eventData,
  expectPage,
  json,
  multipart,
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

const announcedOf = async (id: string) =>
  (await world.announced(ProviderEventReceivedSchema)).filter(({ data }) => data.id === id)
const alertsOf = async (connectionId: string) =>
  (await world.announced(AlertRaisedSchema)).filter(({ data }) => data.detail?.['connection_id'] === connectionId)

describe('a genuine event', () => {
  test('is stored in the workspace of the connection with a new id before it is answered, and is published', async () => {
    const data = eventData({ event: 'failed', severity: 'permanent', reason: 'bounce', timestamp: 1_700_000_000.25 })
    const answer = await world.deliver(connection.id, data)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.json).toEqual({ status: 'processed', id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) })
    const [row] = (await world.stored(connection.id)).filter(({ id }) => id === answer.json.id)
    expect(row).toMatchObject({
      workspace_id: connection.workspaceId,
      provider_event_id: data['id'],
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      message_id: '01890a5d-ac96-774b-bcce-b302099a8057',
      provider_message_id: '20261121.1@mail.acme.test',
      occurred_at: new Date(1_700_000_000_250),
    })
    expect(JSON.stringify(row)).not.toContain('ada@example.test')
    const [fact] = await announcedOf(answer.json.id)
    expect(fact).toMatchObject({
      workspaceId: connection.workspaceId,
      data: {
        connectionId: connection.id,
        event: 'failed',
        severity: 'permanent',
        reason: 'bounce',
        messageId: '01890a5d-ac96-774b-bcce-b302099a8057',
        providerMessageId: '20261121.1@mail.acme.test',
      },
    })
    expect(timestampDate(fact!.data.occurredAt!)).toEqual(new Date(1_700_000_000_250))
    await until(async () => (await world.stage.query('select 1 from webhooks.outbox_pending')).length === 0)
  })

  test.each(['accepted', 'delivered', 'failed', 'opened', 'clicked', 'unsubscribed', 'complained'])(
    'of kind %s is taken',
    async (event) => {
      expect((await world.deliver(connection.id, eventData({ event }))).json.status).toBe('processed')
    },
  )

  test('is accepted as an urlencoded and as a multipart form whose fields are JSON texts', async () => {
    const data = eventData()
    const first = await world.send(connection.id, asForm(data))
    expect(first.json.status).toBe('processed')
    const again = await world.send(
      connection.id,
      multipart({ signature: JSON.stringify(sign(signingKey)), 'event-data': JSON.stringify(data) }),
    )
    expect(again.json).toEqual({ status: 'duplicate', id: first.json.id })
    const other = await world.send(
      connection.id,
      multipart({
        'event-data': JSON.stringify(eventData()),
        signature: JSON.stringify(sign(signingKey)),
        extra: 'ignored',
      }),
    )
    expect(other.json.status).toBe('processed')
  })

  test.each([
    ['an empty list, as the provider writes none', []],
    ['not a UUID', { message_id: 'not-a-uuid' }],
    ['not a text', { message_id: 7 }],
    ['null', null],
  ])('whose user-variables are %s is published without a message id', async (_, variables) => {
    const { json: answer } = await world.deliver(connection.id, eventData({ 'user-variables': variables }))
    expect(answer.status).toBe('processed')
    expect((await announcedOf(answer.id))[0]!.data.messageId).toBeUndefined()
  })

  test('has its message id in lower case, and a severity only when it failed', async () => {
    const { json: answer } = await world.deliver(
      connection.id,
      eventData({ severity: 'permanent', 'user-variables': { message_id: '01890A5D-AC96-774B-BCCE-B302099A8057' } }),
    )
    const [fact] = await announcedOf(answer.id)
    expect(fact!.data.messageId).toBe('01890a5d-ac96-774b-bcce-b302099a8057')
    expect(fact!.data.severity).toBeUndefined()
  })

  test('with texts that the database cannot store is accepted', async () => {
    const body = JSON.stringify({
      signature: sign(signingKey),
      'event-data': eventData({ event: 'failed', severity: 'temporary', reason: 'NUL' }),
    }).replace('"NUL"', '"a\\u0000b\\ud800c"')
    const answer = await world.send(connection.id, json(body))
    expect(answer.json.status).toBe('processed')
    expect((await announcedOf(answer.json.id))[0]!.data.reason).toBe('ab\ufffdc')
  })

  test('keeps its correlation id in the published event', async () => {
    const answer = await world.send(connection.id, {
      headers: { 'content-type': 'application/json', 'x-correlation-id': 'provider-call-1' },
      body: JSON.stringify(signed(eventData())),
    })
    expect(answer.headers.get('x-correlation-id')).toBe('provider-call-1')
    const [row] = await world.stage.query<{ headers: { correlationId: string } }>(
      `select headers from webhooks.outbox where headers->>'correlationId' = 'provider-call-1'`,
    )
    expect(row).toBeDefined()
  })
})

describe('a repeat', () => {
  test('with the same signature, as the provider retries, is a duplicate with the id of the first, stored and published once', async () => {
    const data = eventData()
    const signature = sign(signingKey)
    const first = await world.deliver(connection.id, data, signature)
    for (let retry = 0; retry < 3; retry += 1) {
      const again = await world.deliver(connection.id, data, signature)
      expect([again.status, again.json]).toEqual([200, { status: 'duplicate', id: first.json.id }])
    }
    expect((await world.stored(connection.id)).filter((row) => row['provider_event_id'] === data['id'])).toHaveLength(1)
    expect(await announcedOf(first.json.id)).toHaveLength(1)
  })

  test('with a fresh signature is a duplicate too, and its token is invalid for other events', async () => {
    const data = eventData()
    const first = await world.deliver(connection.id, data)
    const signature = sign(signingKey)
    expect((await world.deliver(connection.id, data, signature)).json).toEqual({
      status: 'duplicate',
      id: first.json.id,
    })
    expectPage(await world.deliver(connection.id, eventData(), signature), 401)
  })

  test('of an id with different content is a duplicate, keeps the first content and raises one alert', async () => {
    const own = await world.connection()
    const data = eventData()
    const first = await world.deliver(own.id, data)
    for (const event of ['complained', 'opened']) {
      expect((await world.deliver(own.id, { ...data, event })).json).toEqual({ status: 'duplicate', id: first.json.id })
    }
    expect(await world.stored(own.id)).toMatchObject([{ event: 'delivered', contradicted_at: expect.any(Date) }])
    expect(await alertsOf(own.id)).toMatchObject([
      { workspaceId: own.workspaceId, data: { code: 'provider_event_contradicted' } },
    ])
  })

  test('in another key order or encoding has the same content and raises no alert', async () => {
    const own = await world.connection()
    const data = eventData()
    await world.deliver(own.id, data)
    await world.send(own.id, asForm(Object.fromEntries(Object.entries(data).toReversed())))
    expect(await alertsOf(own.id)).toEqual([])
  })

  test('with the id of an event of another connection is another event', async () => {
    const other = await world.connection()
    const data = eventData()
    const here = await world.deliver(connection.id, data)
    const there = await world.deliver(other.id, data)
    expect([here.json.status, there.json.status]).toEqual(['processed', 'processed'])
    expect(await world.stored(other.id)).toMatchObject([{ workspace_id: other.workspaceId }])
  })
})

test('a delivery whose client disconnects before the answer is stored once, and its retry is a duplicate', async () => {
  const own = await world.connection()
  const body = JSON.stringify(signed(eventData()))
  const socket = connect(Number(new URL(world.baseUrl).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await withLockedEvents(world, async () => {
    socket.write(
      `POST /webhooks/mailprovider/${own.id} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    const waiting =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%into provider_events%'"
    await until(async () => (await world.stage.query(waiting)).length > 0)
    socket.destroy()
  })
  const [row] = await until(async () => {
    const rows = await world.stored(own.id)
    return rows.length === 1 ? rows : undefined
  })
  expect((await world.send(own.id, json(body))).json).toEqual({ status: 'duplicate', id: row!['id'] })
  expect(await world.stored(own.id)).toHaveLength(1)
})
