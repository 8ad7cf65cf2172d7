import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let worker: Awaited<ReturnType<DeliveryStage['worker']>>
let singles: Awaited<ReturnType<DeliveryStage['api']>>
beforeAll(async () => {
  rig = await openDelivery()
  worker = await rig.worker()
  singles = await rig.api({ DELIVERY_BATCH_SIZE: '1' })
  // A connection in cooldown: batches wait and workers have nothing to do.
  await rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason) values ($1, $2, now() + interval '1 hour', 1, 'unreachable')`,
    [rig.workspaceId, rig.connectionId],
  )
}, 90_000)
afterAll(() => rig.close())

async function metrics() {
  const text = await (await fetch(`http://127.0.0.1:${worker.healthPort}/metrics`)).text()
  const lines = text.split('\n').filter((route) => !route.startsWith('#'))
  return (name: string, label = '') =>
    lines
      .filter((route) => route.startsWith(`${name}{`) && route.includes(label))
      .map((route) => Number(route.split(' ').at(-1)))
}

async function waiting(recipients: number) {
  const audience = await rig.audience()
  await Promise.all(
    Array.from({ length: recipients }, (_, n) => rig.subscriber(audience, `${recipients}.${n}@example.org`)),
  )
  const { campaignId } = await rig.draft(audience)
  const { id } = await rig.schedule(campaignId, { campaigns: singles })
  await until(async () => (await rig.report(id)).run.state === 'sending', {
    timeoutMs: 30_000,
    what: 'the run to begin',
  })
  return id
}
const reads = (due: number) =>
  until(async () => (await metrics())('lettergate_batches_due')[0] === due, {
    timeoutMs: 30_000,
    what: `${due} batches to be due`,
  })

test('the scaling metrics grow with the backlog, for each run and in total, without held runs', async () => {
  await reads(0)
  const small = await waiting(3)
  await reads(3)
  const large = await waiting(9)
  await reads(12)
  const read = await metrics()
  expect(read('lettergate_run_batches_due', small)).toEqual([3])
  expect(read('lettergate_run_recipients_pending', large)).toEqual([9])
  expect(read('lettergate_recipients_pending')).toEqual([12])
  expect(read('lettergate_hand_offs_under_way')).toEqual([0])

  await rig.campaigns.controlCampaignRun(rig.us, { runId: large, action: 'pause' })
  await reads(3)
  expect((await metrics())('lettergate_recipients_pending')).toEqual([3])
}, 120_000)
