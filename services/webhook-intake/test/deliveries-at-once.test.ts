import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AlertRaisedSchema, ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { sign } from '@lettergate/local/mail-provider/event-payload'
import {
  eventData,
  json,
  signed,
  signingKey,
  webhookStage,
  type WebhookAnswer,
  type WebhookStage,
} from './webhook-stage.ts'

let world: WebhookStage
let replicas: string[]

beforeAll(async () => {
  world = await webhookStage()
  replicas = [world.baseUrl, await world.replica()]
})
afterAll(() => world.close())

/** Sends the bodies concurrently, alternating between both replicas. */
const atOnce = (connectionId: string, bodies: string[]): Promise<WebhookAnswer[]> =>
  Promise.all(bodies.map((body, index) => world.send(connectionId, json(body), replicas[index % 2])))

test('a hundred identical concurrent deliveries at two replicas are one event: one is processed, the others are duplicates', async () => {
  const own = await world.connection()
  const body = JSON.stringify(signed(eventData()))
  const answers = await atOnce(
    own.id,
    Array.from({ length: 100 }, () => body),
  )
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
  expect(answers.filter((answer) => answer.json.status === 'processed')).toHaveLength(1)
  expect(new Set(answers.map((answer) => answer.json.id)).size).toBe(1)
  expect(await world.stored(own.id)).toHaveLength(1)
  const announced = (await world.announced(ProviderEventReceivedSchema)).filter(
    ({ data }) => data.connectionId === own.id,
  )
  expect(announced).toHaveLength(1)
})

test('of a hundred concurrent events with one token one is stored, ninety-nine are 401', async () => {
  const own = await world.connection()
  const signature = sign(signingKey)
  const answers = await atOnce(
    own.id,
    Array.from({ length: 100 }, () => JSON.stringify({ signature, 'event-data': eventData() })),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  expect(answers.filter((answer) => answer.status === 401)).toHaveLength(99)
  expect(await world.stored(own.id)).toHaveLength(1)
})

test('one event that arrives concurrently with a hundred contents is stored once and raises one alert', async () => {
  const own = await world.connection()
  const id = randomUUID()
  const answers = await atOnce(
    own.id,
    Array.from({ length: 100 }, (_, index) => JSON.stringify(signed(eventData({ id, reason: `reason ${index}` })))),
  )
  expect(answers.filter((answer) => answer.json.status === 'processed')).toHaveLength(1)
  expect(answers.filter((answer) => answer.json.status === 'duplicate')).toHaveLength(99)
  expect(await world.stored(own.id)).toHaveLength(1)
  const alerts = (await world.announced(AlertRaisedSchema)).filter(
    ({ data }) => data.detail?.['connection_id'] === own.id,
  )
  expect(alerts).toHaveLength(1)
})

test('events of many tenants that are stored together stay in their own workspace', async () => {
  const connections = await Promise.all(Array.from({ length: 20 }, () => world.connection()))
  const sent = connections.flatMap((connection) =>
    Array.from({ length: 15 }, () => ({ connection, data: eventData() })),
  )
  const answers = await Promise.all(sent.map(({ connection, data }) => world.deliver(connection.id, data)))
  expect(answers.filter((answer) => answer.json.status !== 'processed').map((answer) => answer.text)).toEqual([])
  for (const connection of connections) {
    const own = sent.filter((item) => item.connection === connection).map(({ data }) => data['id'])
    const stored = await world.stored(connection.id)
    expect(stored).toHaveLength(own.length)
    expect(new Set(stored.map((row) => row['provider_event_id']))).toEqual(new Set(own))
    expect(new Set(stored.map((row) => row['workspace_id']))).toEqual(new Set([connection.workspaceId]))
  }
  const workspaces = new Map(connections.map((connection) => [connection.id, connection.workspaceId]))
  for (const { workspaceId, data } of await world.announced(ProviderEventReceivedSchema)) {
    if (workspaces.has(data.connectionId)) expect(workspaceId).toBe(workspaces.get(data.connectionId))
  }
})

test('in a batch, a refused and a repeated event do not affect the others', async () => {
  const own = await world.connection()
  const used = sign(signingKey)
  const first = eventData()
  await world.deliver(own.id, first, used)
  const bodies = Array.from({ length: 60 }, (_, index) => {
    if (index % 3 === 0) return JSON.stringify({ signature: used, 'event-data': eventData() })
    return JSON.stringify(signed(index % 3 === 1 ? first : eventData()))
  })
  const answers = await atOnce(own.id, bodies)
  const statuses = answers.map((answer) => (answer.status === 200 ? answer.json.status : String(answer.status)))
  expect(statuses).toEqual(statuses.map((_, index) => ['401', 'duplicate', 'processed'][index % 3]))
  expect(await world.stored(own.id)).toHaveLength(21)
})

test('deliveries that arrive together are stored by few transactions', async () => {
  const own = await world.connection()
  await world.deliver(own.id, eventData())
  const before = await batches()
  await Promise.all(Array.from({ length: 200 }, () => world.deliver(own.id, eventData())))
  const after = await batches()
  expect(after.items - before.items).toBe(200)
  expect(after.count - before.count).toBeLessThan(100)
})

async function batches() {
  const text = await (await fetch(world.metricsUrl)).text()
  const value = (name: string) =>
    Number(new RegExp(`^lettergate_webhook_batch_items_${name}\\{[^}]*\\} (\\d+)`, 'm').exec(text)![1])
  return { count: value('count'), items: value('sum') }
}
