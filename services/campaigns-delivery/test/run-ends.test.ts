import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let runs = 0
const hourMs = 3_600_000
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
})
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
    what: `the run to be ${state}`,
  })
const statusOf = async (campaignId: string) =>
  (await rig.campaigns.getCampaign(rig.us, { campaignId })).campaign!.status

test('a run whose recipients are all skipped is completed, and so is a run without recipients', async () => {
  const { runId, campaignId, people } = await scheduled(2, hourMs)
  for (const contactId of people)
    await rig.contacts.suppressContact(rig.us, { contactId, scope: 'workspace', reason: 'manual' })
  await rig.begin(runId)
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
})

test('a run continues when its template is archived after scheduling', async () => {
  const { runId, templateId } = await scheduled(2, hourMs)
  await rig.campaigns.archiveEmailTemplate(rig.us, { templateId })
  await rig.begin(runId)
  await ends(runId, 'completed')
  expect((await rig.report(runId)).report).toMatchObject({ sent: 2, skipped: 0 })
})

test('a run whose sender was deleted fails, and every reader sees the reason', async () => {
  const { runId, campaignId } = await scheduled(3, hourMs)
  await rig.stage.query('update campaigns.campaign_runs set sender_identity_id = $2 where id = $1', [runId, newId()])
  await rig.begin(runId)
  await ends(runId, 'failed')
  const { run, report } = await until(
    async () => {
      const found = await rig.report(runId)
      return found.report.failed > 0 && found
    },
    { what: 'its people to have failed' },
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
})

/** Inserts a run as a release without snapshot jobs left it: half built, last seen this long ago. */
async function halfBuilt(secondsAgo: number) {
  const { campaignId } = await rig.draft(await rig.audience())
  const runId = newId()
  await rig.stage.query(
    `with run as (
       insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, scheduled_by, correlation_id, building_seen_at)
       values ($1, $2, $3, $2, $2, $2, 'building', now(), 'test', 'test', now() - $4 * interval '1 second')),
     key as (
       insert into campaigns.idempotency_keys (workspace_id, operation, key, fingerprint, resource_id) values ($1, 'schedule_campaign', $2::text, 'f', $2))
     insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
     values ($1, $2, $2, 0, $2, $2, 'half@example.org')`,
    [rig.workspaceId, runId, campaignId, secondsAgo],
  )
  return runId
}
const rowsOf = (runId: string) =>
  rig.stage.query(
    `select id from campaigns.campaign_runs where id = $1 union all select run_id from campaigns.run_recipients where run_id = $1
     union all select resource_id from campaigns.idempotency_keys where resource_id = $1`,
    [runId],
  )

test('a run that nobody builds any more is deleted with its recipients and its key, and one in progress is not', async () => {
  const [abandoned, inProgress] = [await halfBuilt(60), await halfBuilt(0)]
  await until(async () => (await rowsOf(abandoned)).length === 0, { what: 'the run to be deleted' })
  expect(await rowsOf(inProgress)).toHaveLength(3)
})
