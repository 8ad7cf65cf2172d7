import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { eventData, expectPage, json, otherKey, signed, webhookStage, type WebhookStage } from './webhook-stage.ts'

let world: WebhookStage

beforeAll(async () => {
  world = await webhookStage({ RATE_LIMIT_WEBHOOK_PER_MINUTE: '5' })
})
afterAll(() => world.close())

const setGate = (enabled: boolean) =>
  world.identity.setPlatformGate(world.stage.caller({ platformRole: 'owner', authMethod: 'session' }), {
    name: 'rate_limit_enabled',
    enabled,
  })

const deliverMany = async (connectionId: string, times: number) => {
  const statuses: number[] = []
  for (let call = 0; call < times; call += 1) statuses.push((await world.deliver(connectionId, eventData())).status)
  return statuses
}

test('more events in a minute than the limit are 429, with Retry-After, and store nothing', async () => {
  const own = await world.connection()
  expect(await deliverMany(own.id, 6)).toEqual([200, 200, 200, 200, 200, 429])
  const answer = await world.deliver(own.id, eventData())
  expectPage(answer, 429)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect(await world.stored(own.id)).toHaveLength(5)
})

test('each connection has a separate limit', async () => {
  const [one, other] = [await world.connection(), await world.connection()]
  expect(await deliverMany(one.id, 6)).toContain(429)
  expect(await deliverMany(other.id, 5)).not.toContain(429)
})

test('a forger reaches a limit, and cannot block the provider with it', async () => {
  const own = await world.connection()
  const forged = await Promise.all(
    Array.from({ length: 12 }, () => world.send(own.id, json(JSON.stringify(signed(eventData(), otherKey))))),
  )
  expect(forged.filter((answer) => answer.status === 401)).toHaveLength(5)
  expect(forged.filter((answer) => answer.status === 429)).toHaveLength(7)
  expect(await deliverMany(own.id, 5)).toEqual([200, 200, 200, 200, 200])
})

test('the platform gate turns the limit off and on again within seconds', async () => {
  const own = await world.connection()
  expect(await deliverMany(own.id, 6)).toContain(429)
  await setGate(false)
  await until(async () => (await world.deliver(own.id, eventData())).status === 200)
  expect(await deliverMany(own.id, 20)).not.toContain(429)
  await setGate(true)
  await until(async () => (await world.deliver(own.id, eventData())).status === 429)
})

test('the limit is on while the gate cannot be read', async () => {
  const own = await world.connection()
  await world.deliver(own.id, eventData())
  await world.stopIdentity()
  const statuses = await deliverMany(own.id, 8)
  expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 200])
  expect(statuses.slice(4)).toEqual([429, 429, 429, 429])
})
