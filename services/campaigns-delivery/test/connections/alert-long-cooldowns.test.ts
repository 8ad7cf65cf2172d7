import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import { alertLongCooldowns } from '../../src/connections/alert-long-cooldowns.ts'
import {
  askPermission,
  beginTrial,
  startCooldown,
  endCooldown,
  type SendingRoute,
} from '../../src/connections/connection-hold.entity.ts'
import type { Ctx } from '../../src/ctx.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
const each = oneByOne(createService('campaigns-delivery', { logLevel: 'silent' }), 'alert-long-cooldowns')
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

const newRoute = (): SendingRoute => ({ workspaceId, connectionId: newId(), domainName: 'mail.acme.test' })
const look = () => alertLongCooldowns(rig.system as Ctx, each)
const fail = (route: SendingRoute, retryAfterMs = 60_000) =>
  rig
    .in(workspaceId)
    .tx((em) => startCooldown(em, route, { reason: 'unreachable', retryAfterMs, claimedAt: '9999-01-01T00:00:00Z' }))
const succeed = (route: SendingRoute) => rig.in(workspaceId).tx((em) => endCooldown(em, route))
/** Moves all times of the connection into the past. */
const elapse = (route: SendingRoute, minutes: number) =>
  rig.stage.query(
    `update campaigns.connection_holds set cooling_since = cooling_since - $2 * interval '1 minute', until = until - $2 * interval '1 minute',
            alerted_at = alerted_at - $2 * interval '1 minute' where connection_id = $1`,
    [route.connectionId, minutes],
  )
const alertsOf = async ({ connectionId }: SendingRoute) =>
  (
    await rig.stage.query<{ payload: Buffer }>(
      `select payload from campaigns.outbox where event = 'alert_raised' order by id`,
    )
  )
    .map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
    .filter(({ about }) => about === connectionId)

test('a connection in cooldown for more than 15 minutes raises one alert over all workers, and another after six hours', async () => {
  const route = newRoute()
  await fail(route)
  await look()
  expect(await alertsOf(route)).toHaveLength(0)
  await elapse(route, 16)
  await fail(route)
  await Promise.all([look(), look(), look()])
  const [alert, ...more] = await alertsOf(route)
  expect(more).toHaveLength(0)
  expect(alert).toMatchObject({
    code: 'connection_cooldown',
    detail: { connection_id: route.connectionId, reason: 'unreachable', failures: 2 },
  })
  await elapse(route, 359)
  await fail(route)
  await look()
  expect(await alertsOf(route)).toHaveLength(1)
  await elapse(route, 2)
  await fail(route)
  await look()
  expect(await alertsOf(route)).toHaveLength(2)
})

test('a provider that asks for more than 15 minutes raises an alert at once', async () => {
  const route = newRoute()
  await fail(route, 3_600_000)
  await look()
  expect(await alertsOf(route)).toHaveLength(1)
})

test('a cooldown that a success ended, or that was not tried for long, does not count towards the next one', async () => {
  const [ended, untried] = [newRoute(), newRoute()]
  await fail(ended)
  await elapse(ended, 30)
  await succeed(ended)
  await fail(ended)
  await fail(untried)
  await elapse(untried, 30)
  await rig.in(workspaceId).tx(async (em) => {
    expect(await askPermission(em, untried)).toMatchObject({ kind: 'trial' })
    await beginTrial(em, untried)
  })
  await fail(untried)
  await look()
  expect([await alertsOf(ended), await alertsOf(untried)]).toEqual([[], []])
})
