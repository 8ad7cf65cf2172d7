import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { insertRecipient } from './message-rows.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
})
afterAll(() => rig.close())

const page = readFileSync(new URL('../../../docs/durability.md', import.meta.url), 'utf8')

/** The statements that docs/durability.md tells the operator to run, with the time of the backup. */
function procedure(backupTime: Date): string {
  const [, statements] = /```sql\n([^]+?)```/.exec(page)!
  return statements!.replaceAll(`:'backup_time'`, `'${backupTime.toISOString()}'`)
}

/** A run of four recipients in two batches, all handed over, whose events the provider holds back. */
async function deliveredRun() {
  await rig.sim('PUT', '/events', { held_share: 1 })
  const audience = await rig.audience()
  await Promise.all(Array.from({ length: 4 }, (_, n) => rig.subscriber(audience, `person${n}@example.org`)))
  const campaigns = await rig.api({ DELIVERY_BATCH_SIZE: '2' })
  const { id } = await rig.schedule((await rig.draft(audience)).campaignId, { campaigns })
  const worker = await rig.worker()
  await completed(id)
  await worker.stop()
  return id
}
const completed = (runId: string) =>
  until(async () => (await rig.report(runId)).run.state === 'completed', { what: 'the run to complete' })

/** Brings back the state of a backup from before the second batch. A third batch was never handed over. */
async function restored(runId: string) {
  const neverSent = newId()
  await insertRecipient(rig.stage, { workspaceId: rig.workspaceId, runId, id: neverSent, batch: 2 })
  await rig.stage.query('insert into campaigns.delivery_batches (workspace_id, run_id, batch) values ($1, $2, 2)', [
    rig.workspaceId,
    runId,
  ])
  await rig.stage.query('delete from campaigns.hand_offs where origin_id = $1 and batch = 1', [runId])
  await rig.stage.query(
    'update campaigns.delivery_batches set done_at = null, published_at = null where run_id = $1 and batch = 1',
    [runId],
  )
  await rig.stage.query(
    `update campaigns.campaign_runs set state = 'sending', completed_at = null, ends_checked_at = null, included_count = 5 where id = $1`,
    [runId],
  )
  return neverSent
}

test('after a restore nobody is mailed twice: who may have the message is unknown, and the provider says who has it', async () => {
  const runId = await deliveredRun()
  const neverSent = await restored(runId)
  await rig.stage.query(procedure(new Date(Date.now() - 600_000)))
  expect((await rig.report(runId)).report).toMatchObject({ sent: 2, unknown: 3 })

  await rig.setGate(false)
  await rig.worker()
  await completed(runId)
  await until(async () => (await rig.report(runId)).report.sent === 4, { what: 'the lookups' })
  expect((await rig.report(runId)).report).toMatchObject({ sent: 4, unknown: 1, skipped: 0, failed: 0 })
  const { recipients } = await rig.campaigns.listCampaignRunRecipients(rig.us, { runId, state: 'unknown' })
  expect(recipients.map(({ id, reasons }) => [id, reasons])).toEqual([[neverSent, ['restored']]])
  expect((await rig.messages()).map(({ to }) => to).sort()).toEqual(
    Array.from({ length: 4 }, (_, n) => `person${n}@example.org`),
  )
})
