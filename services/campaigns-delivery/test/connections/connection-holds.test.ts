import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import type { HoldReason } from '../../src/connections/backoff.ts'
import {
  askPermission,
  beginTrial,
  endTrial,
  startCooldown,
  endCooldown,
  type SendingRoute,
} from '../../src/connections/connection-hold.entity.ts'
import { lockPace, storePace } from '../../src/connections/connection-pace.entity.ts'
import { pace } from '../../src/connections/pace.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

const newRoute = (connectionId = newId(), domainName = 'mail.acme.test'): SendingRoute => ({
  workspaceId,
  connectionId,
  domainName,
})
const tx = <T>(work: Parameters<typeof rig.system.tx<T>>[0]) => rig.in(workspaceId).tx(work)
const now = async () => (await rig.stage.query<{ now: string }>('select clock_timestamp()::text as now'))[0]!.now
const cool = (route: SendingRoute, reason: HoldReason, claimedAt: string, retryAfterMs = 0) =>
  tx((em) => startCooldown(em, route, { reason, retryAfterMs, claimedAt }))
const ask = (route: SendingRoute) => tx((em) => askPermission(em, route))
const failuresOf = async ({ connectionId }: SendingRoute) =>
  (
    await rig.stage.query<{ failures: number }>(
      'select failures from campaigns.connection_holds where connection_id = $1',
      [connectionId],
    )
  )[0]?.failures
const endCooldownNow = (route: SendingRoute) =>
  rig.stage.query(`update campaigns.connection_holds set until = now() where connection_id = $1`, [route.connectionId])

test('calls that fail together count as one failure, and a failed trial as the next', async () => {
  const route = newRoute()
  const claimedAt = await now()
  const [first, ...more] = await Promise.all(Array.from({ length: 6 }, () => cool(route, 'unreachable', claimedAt)))
  expect(await failuresOf(route)).toBeLessThanOrEqual(2) // two transactions may begin before either has committed
  for (const { until } of more) expect(until.getTime() - first!.until.getTime()).toBeLessThan(5_000)
  const before = (await failuresOf(route))!
  await endCooldownNow(route)
  await tx(async (em) => {
    expect(await askPermission(em, route)).toMatchObject({ kind: 'trial' })
    await beginTrial(em, route)
  })
  expect(await ask(route)).toMatchObject({ kind: 'cooldown' })
  const { until } = await cool(route, 'unreachable', await now())
  expect(await failuresOf(route)).toBe(before + 1)
  expect(until.getTime()).toBeLessThan(Date.parse(await now()) + 10_000)
})

test('a trial that was not made does not delay the next one', async () => {
  const route = newRoute()
  await cool(route, 'unreachable', await now())
  await cool(route, 'domain_refused', await now())
  await endCooldownNow(route)
  await rig.stage.query(`update campaigns.domain_holds set until = now() where connection_id = $1`, [
    route.connectionId,
  ])
  await tx((em) => beginTrial(em, route))
  expect(await ask(route)).toMatchObject({ kind: 'cooldown' })
  await tx((em) => endTrial(em, route))
  expect(await ask(route)).toMatchObject({ kind: 'trial' })
  expect(await failuresOf(route)).toBe(1)
})

test('a refused domain is in cooldown alone; the connection and its other domains are open', async () => {
  const route = newRoute()
  const other = newRoute(route.connectionId, 'b.acme.test')
  expect((await cool(route, 'domain_refused', await now())).isNew).toBe(true)
  expect((await cool(route, 'domain_refused', await now())).isNew).toBe(false)
  expect(await ask(route)).toMatchObject({ kind: 'cooldown' })
  expect(await ask(other)).toEqual({ kind: 'open' })
  await cool(route, 'rate_limited', await now(), 60_000)
  expect(await ask(other)).toMatchObject({ kind: 'cooldown' })
  await tx((em) => endCooldown(em, route))
  expect([await ask(route), await ask(other)]).toEqual([{ kind: 'open' }, { kind: 'open' }])
})

test('all workers together never exceed the rate', async () => {
  const route = newRoute()
  const perSecond = 1
  const handOver = () =>
    tx(async (em) => {
      const paced = pace(await lockPace(em, route), 600, perSecond)
      if (paced.kind === 'go') await storePace(em, route, paced.aheadMs)
      return paced.kind
    })
  const went = await Promise.all(Array.from({ length: 10 }, handOver))
  // the first one uses its credit and ten minutes of the rate
  expect(went.filter((kind) => kind === 'go')).toHaveLength(1)
})
