import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
})
afterAll(() => rig.close())

test('a worker that cannot read the gates holds the run and raises an alert that ends by itself', async () => {
  const audience = await rig.audience()
  await rig.subscriber(audience, 'waits@example.org')
  const { campaignId } = await rig.draft(audience)
  const { id: runId } = await rig.schedule(campaignId)
  await rig.worker({ IDENTITY_TARGET: '127.0.0.1:9' })
  const alert = await until(
    async () => {
      const [row] = await rig.stage.query<{ payload: Buffer }>(
        `select payload from campaigns.outbox where event = 'alert_raised' and position($1::bytea in payload) > 0`,
        [Buffer.from('gates_unreadable')],
      )
      return row && fromBinary(AlertRaisedSchema, row.payload)
    },
    { what: 'the alert' },
  )
  expect(alert).toMatchObject({ code: 'gates_unreadable', severity: 'critical', lastsSeconds: 600 })
  const { run, report } = await rig.report(runId)
  expect(run.state).toBe('sending')
  expect(report).toMatchObject({ sent: 0 })
  expect(await rig.messages()).toEqual([])
})
