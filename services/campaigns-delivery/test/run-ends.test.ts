import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let runs = 0
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
}, 90_000)
afterAll(() => rig.close())

/** Schedules a run to this many recipients. */
async function scheduled(count: number, inMs = 1_000) {
  runs += 1
  const audience = await rig.audience()
  const people = await Promise.all(
    Array.from({ length: count }, (_, n) => rig.subscriber(audience, `e${n}-${runs}@example.org`)),
  )
  const draft = await rig.draft(audience)
  const run = await rig.schedule(draft.campaignId, { inMs })
  return { ...draft, people, runId: run.id }
}
const ends = (runId: string, state: string) =>
  until(async () => (await rig.report(runId)).run.state === state, {
    timeoutMs: 30_000,
    what: `the run to be ${state}`,
  })
const statusOf = async (campaignId: string) =>
  (await rig.campaigns.getCampaign(rig.us, { campaignId })).campaign!.status

test('a run whose recipients are all skipped is completed, and so is a run without recipients', async () => {
  const { runId, campaignId, people } = await scheduled(2, 4_000)
  for (const contactId of people)
    await rig.contacts.suppressContact(rig.us, { contactId, scope: 'workspace', reason: 'manual' })
  const empty = await scheduled(0)
  await ends(empty.runId, 'completed')
  await ends(runId, 'completed')
  const { run, report } = await rig.report(runId)
  expect(run).toMatchObject({ includedCount: 2, excludedCount: 0, sentCount: 0, failedCount: 0 })
  expect(report).toMatchObject({
    sent: 0,
    skipped: 2,
    skipReasons: { suppressed_workspace: 2 },
    unsubscribesAttributed: 0,
  })
  expect(report.deliveryRate).toBeUndefined()
  expect(report.bounceRate).toBeUndefined()
  expect([await statusOf(campaignId), await statusOf(empty.campaignId)]).toEqual(['sent', 'sent'])
}, 60_000)

test('a run continues when its template is archived after scheduling', async () => {
  const { runId, templateId } = await scheduled(2, 3_000)
  await rig.campaigns.archiveEmailTemplate(rig.us, { templateId })
  await ends(runId, 'completed')
  expect((await rig.report(runId)).report).toMatchObject({ sent: 2, skipped: 0 })
}, 60_000)

test('a run whose sender was deleted fails, and every reader sees the reason', async () => {
  const { runId, campaignId } = await scheduled(3, 3_000)
  await rig.stage.query('update campaigns.campaign_runs set sender_identity_id = $2 where id = $1', [runId, newId()])
  await ends(runId, 'failed')
  const { run, report } = await until(
    async () => {
      const found = await rig.report(runId)
      return found.report.failed > 0 && found
    },
    { timeoutMs: 20_000, what: 'its people to have failed' },
  )
  expect(run).toMatchObject({ includedCount: 3, sentCount: 0, failedCount: 3 })
  expect(report).toMatchObject({ sent: 0, failed: 3, skipped: 0, unknown: 0 })
  expect(report.heldBy).toBeUndefined()
  const { recipients } = await rig.campaigns.listCampaignRunRecipients(rig.us, { runId, limit: 10 })
  expect(recipients.map(({ state, reasons }) => [state, reasons])).toEqual(
    Array.from({ length: 3 }, () => ['failed', ['sender_missing']]),
  )
  expect((await rig.campaigns.getCampaign(rig.us, { campaignId })).runs).toMatchObject([
    { state: 'failed', failureReason: 'sender_missing' },
  ])
  expect(await statusOf(campaignId)).toBe('cancelled')
  for (const action of ['pause', 'resume', 'cancel'])
    await expect(rig.campaigns.controlCampaignRun(rig.us, { runId, action })).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'run_state',
    })
  await until(
    async () =>
      (
        await rig.stage.query(`select 1 from identity.alerts where code = 'run_failed' and detail->>'run_id' = $1`, [
          runId,
        ])
      ).length === 1,
  )
  expect(await rig.messages()).not.toContainEqual(expect.objectContaining({ to: `e0-${runs}@example.org` }))
}, 60_000)
