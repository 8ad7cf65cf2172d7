import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '@lettergate/stage'
import {
  eventData,
  expectPage,
  json,
  signed,
  webhookStage,
  type WebhookAnswer,
  type WebhookStage,
} from './webhook-stage.ts'

let world: WebhookStage
beforeAll(async () => {
  world = await webhookStage({ RATE_LIMIT_UNKNOWN_WEBHOOK_PER_MINUTE: '5' })
})
afterAll(() => world.close())

const send = (connectionId: string, address: string): Promise<WebhookAnswer> => {
  const { headers, body } = json(JSON.stringify(signed(eventData())))
  return world.send(connectionId, { headers: { ...headers, 'x-forwarded-for': address }, body })
}
const flood = (count: number, address: (index: number) => string) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(randomUUID(), address(index))))
const statusesOf = (answers: readonly WebhookAnswer[]) => answers.map(({ status }) => status)

test('a flood of unknown connections is 429 after the limit, without lookups; a genuine webhook from the same address is accepted', async () => {
  const known = await world.connection()
  expect((await send(known.id, '10.1.0.1')).status).toBe(200)
  const before = await world.timesResolved()
  const answers = await flood(200, () => '10.1.0.1')
  expect(statusesOf(answers).filter((status) => status === 404)).toHaveLength(5)
  expect(statusesOf(answers).filter((status) => status === 429)).toHaveLength(195)
  expect((await world.timesResolved()) - before).toBe(5)
  const over = answers.find(({ status }) => status === 429)!
  expectPage(over, 429)
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await send(known.id, '10.1.0.1')).status).toBe(200)
  const fresh = await world.connection()
  expect((await send(fresh.id, '10.1.0.2')).status).toBe(200)
})

test('known connections do not count for their address, also when many are new', async () => {
  const ids = (await Promise.all(Array.from({ length: 12 }, () => world.connection()))).map(({ id }) => id)
  for (const id of ids) expect((await send(id, '10.2.0.1')).status).toBe(200)
})

test('a repeated unknown id is looked up once until its cache entry expires; a text that is not an id is never looked up', async () => {
  world.stage.clock.set(new Date())
  const before = await world.timesResolved()
  const [unknown, malformed] = [randomUUID(), `${randomUUID()}0`]
  for (let again = 0; again < 20; again += 1) {
    expect((await send(unknown, '10.3.0.1')).status).toBe(404)
    expect((await send(malformed, '10.3.0.1')).status).toBe(404)
  }
  world.stage.clock.release()
  expect((await world.timesResolved()) - before).toBe(1)
})

test('unknown connections from many addresses use at most two database connections of sending-infra', async () => {
  const holder = new pg.Client({ connectionString: world.stage.adminUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table sending.provider_connections in access exclusive mode')
    const asked = flood(40, (index) => `10.4.0.${index}`)
    const waiting = async () =>
      (
        await world.stage.query<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%provider_connections%' and datname = current_database()`,
        )
      )[0]!.n
    await until(async () => (await waiting()) > 0)
    const seen: number[] = []
    for (let look = 0; look < 20; look += 1) seen.push(await waiting())
    expect(Math.max(...seen)).toBeLessThanOrEqual(2)
    await holder.query('rollback')
    for (const { status } of await asked) expect([404, 503]).toContain(status)
  } finally {
    await holder.end()
  }
})

test('the platform gate turns off the limit by address too', async () => {
  expect(statusesOf(await flood(8, () => '10.5.0.1'))).toContain(429)
  const set = (enabled: boolean) =>
    world.identity.setPlatformGate(world.stage.caller({ platformRole: 'owner', authMethod: 'session' }), {
      name: 'rate_limit_enabled',
      enabled,
    })
  await set(false)
  await until(async () => (await send(randomUUID(), '10.5.0.1')).status === 404)
  await set(true)
})
