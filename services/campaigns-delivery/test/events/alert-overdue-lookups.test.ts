import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import { alertOverdueLookups } from '../../src/events/alert-overdue-lookups.ts'
import type { Ctx } from '../../src/ctx.ts'
import { settleUnknown } from '../../src/events/settle-unknown.ts'
import { insertHandOff } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
const service = createService('campaigns-delivery', { logLevel: 'silent' })
const [asking, alerting] = [oneByOne(service, 'settle-unknown'), oneByOne(service, 'alert-overdue-lookups')]
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

const look = () => alertOverdueLookups(rig.system as Ctx, alerting)
/** Inserts an unknown call of this connection whose lookup is due. */
async function unknown(connectionId: string, minutesAgo: number) {
  const [id, originId] = [newId(), newId()]
  const ids = { workspaceId, id, originId, connectionId, messageIds: [newId()] }
  await insertHandOff(rig.stage, { ...ids, state: 'unknown', minutesAgo })
  return { id, originId }
}
const elapse = (connectionId: string, minutes: number) =>
  rig.stage.query(
    `update campaigns.hand_offs set claimed_at = claimed_at - $2 * interval '1 minute', judged_at = judged_at - $2 * interval '1 minute', lookup_alerted_at = lookup_alerted_at - $2 * interval '1 minute' where connection_id = $1`,
    [connectionId, minutes],
  )
const alertsOf = async (connectionId: string) =>
  (
    await rig.stage.query<{ payload: Buffer }>(
      `select payload from campaigns.outbox where event = 'alert_raised' order by id`,
    )
  )
    .map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
    .filter(({ about }) => about === connectionId)

test('unknown hand-offs of a connection that refuses every lookup raise one alert after an hour, which ends by itself unless it is raised again every 15 minutes', async () => {
  const connectionId = newId()
  const { id, originId } = await unknown(connectionId, 58)
  await unknown(connectionId, 57)
  // The connection has no credential any more, so each lookup is refused.
  const config = { credential: () => undefined }
  await settleUnknown(Object.assign(Object.create(rig.system), { config }) as Ctx, asking)
  await look()
  expect(await alertsOf(connectionId)).toEqual([])
  await elapse(connectionId, 10)
  await Promise.all([look(), look(), look()])
  const [alert, ...more] = await alertsOf(connectionId)
  expect(more).toEqual([])
  expect(alert).toMatchObject({
    code: 'hand_off_lookup_overdue',
    lastsSeconds: 2_100,
    detail: { connection_id: connectionId, hand_offs: 2, hand_off_id: id, run_id: originId, answered_lookups: 0 },
  })
  await elapse(connectionId, 14)
  await look()
  expect(await alertsOf(connectionId)).toHaveLength(1)
  await elapse(connectionId, 2)
  await look()
  expect(await alertsOf(connectionId)).toHaveLength(2)
  await rig.stage.query(`update campaigns.hand_offs set state = 'accepted' where connection_id = $1`, [connectionId])
  await elapse(connectionId, 60)
  await look()
  expect(await alertsOf(connectionId)).toHaveLength(2)
})

test('a hand-off whose lookups were all answered, or that is settled, raises no such alert', async () => {
  const [answered, settled] = [newId(), newId()]
  await unknown(answered, 70)
  await rig.stage.query('update campaigns.hand_offs set lookups = 4, next_lookup_at = null where connection_id = $1', [
    answered,
  ])
  await unknown(settled, 70)
  await rig.stage.query(`update campaigns.hand_offs set state = 'accepted' where connection_id = $1`, [settled])
  await look()
  expect([await alertsOf(answered), await alertsOf(settled)]).toEqual([[], []])
})
