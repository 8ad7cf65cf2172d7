import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { eventData, expectPage, webhookStage, type WebhookStage } from './webhook-stage.ts'

let world: WebhookStage

beforeAll(async () => {
  world = await webhookStage()
})
afterAll(() => world.close())

const readyz = async () => (await fetch(world.metricsUrl.replace('/metrics', '/readyz'))).status

test('a connection is found by its id in any notation of a UUID, and by no other text', async () => {
  const own = await world.connection()
  expect((await world.deliver(own.id.toUpperCase(), eventData())).json.status).toBe('processed')
  expectPage(await world.deliver(`${own.id}0`, eventData()), 404)
})

test('an unknown id is found soon after its connection is created', async () => {
  const unknown = randomUUID()
  expectPage(await world.deliver(unknown, eventData()), 404)
  const own = await world.connection()
  await world.stage.query('update sending.provider_connections set id = $1 where id = $2', [unknown, own.id])
  await until(async () => (await world.deliver(unknown, eventData())).status === 200, { everyMs: 200 })
})

test('while sending-infra is down, known connections work for some seconds, and others are 503 before the timeout, not 404', async () => {
  const [known, unknown] = [await world.connection(), await world.connection()]
  expect(await readyz()).toBe(200)
  // The clock stands still from here, so that cache entries do not expire.
  world.stage.clock.set(new Date())
  expect((await world.deliver(known.id, eventData())).status).toBe(200)
  await world.stopSending()
  expect((await world.deliver(known.id, eventData())).json.status).toBe('processed')
  expectPage(await world.deliver(unknown.id, eventData()), 503)
  expect(await world.stored(unknown.id)).toEqual([])
  world.stage.clock.advance(10_001)
  expectPage(await world.deliver(known.id, eventData()), 503)
  expect(await readyz()).toBe(503)
})
