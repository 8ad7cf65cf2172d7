import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let audience: string
const hourMs = 3_600_000

beforeAll(async () => {
  rig = await openDelivery()
  audience = await rig.audience()
  await rig.subscriber(audience, 'a@example.org')
})
afterAll(() => rig.close())

const remove = (campaignId: string, caller = rig.us) => rig.campaigns.deleteCampaign(caller, { campaignId })
const gone = { code: 'not_found' }

test('a draft is deleted: it is not found any more, accepts no action, and uses no other resource', async () => {
  const own = await rig.audience()
  const { campaignId, contentVersionId } = await rig.draft(own)
  await expect(rig.campaigns.requireAudienceUnused(rig.us, { audienceId: own })).rejects.toMatchObject({
    reason: 'audience_in_use',
  })
  expect(await remove(campaignId)).toMatchObject({ deleted: true })
  await expect(remove(campaignId)).rejects.toMatchObject(gone)
  await expect(rig.campaigns.getCampaign(rig.us, { campaignId })).rejects.toMatchObject(gone)
  await expect(rig.schedule(campaignId)).rejects.toMatchObject(gone)
  await expect(
    rig.campaigns.createCampaignDraftVersion(rig.us, {
      campaignId,
      name: 'x',
      audienceId: own,
      senderIdentityId: rig.senderId,
      contentVersionId,
    }),
  ).rejects.toMatchObject(gone)
  const { campaigns } = await rig.campaigns.listCampaigns(rig.us, { limit: 200 })
  expect(campaigns.map(({ id }) => id)).not.toContain(campaignId)
  await rig.campaigns.requireAudienceUnused(rig.us, { audienceId: own })
})

test('a campaign that will be sent is kept until its run is unscheduled; the run can still be read', async () => {
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId, { inMs: hourMs })
  const kept = { code: 'failed_precondition', reason: 'campaign_scheduled', message: expect.stringContaining(run.id) }
  await expect(remove(campaignId)).rejects.toMatchObject(kept)
  await rig.campaigns.controlCampaignRun(rig.us, { runId: run.id, action: 'pause' })
  await expect(remove(campaignId)).rejects.toMatchObject(kept)
  await rig.campaigns.controlCampaignRun(rig.us, { runId: run.id, action: 'resume' })
  await rig.campaigns.unscheduleCampaignRun(rig.us, { runId: run.id })
  const { runs } = await rig.campaigns.getCampaign(rig.us, { campaignId })
  expect(runs).toMatchObject([{ id: run.id, state: 'unscheduled', draftVersion: 1, includedCount: 1 }])
  await remove(campaignId)
  expect((await rig.campaigns.getCampaignRun(rig.us, { runId: run.id })).campaignRun!.state).toBe('unscheduled')
})

test.each([
  ['is sending', 'sending'],
  ['is paused', 'paused'],
  ['was cancelled', 'cancelled'],
])('a campaign that may have been sent is kept permanently, also when its run %s', async (_, state) => {
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId, { inMs: hourMs })
  await rig.stage.query('update campaigns.campaign_runs set state = $2, started_at = now() where id = $1', [
    run.id,
    state,
  ])
  await expect(remove(campaignId)).rejects.toMatchObject({ code: 'failed_precondition', reason: 'campaign_sent' })
  expect((await rig.campaigns.getCampaign(rig.us, { campaignId })).campaign!.id).toBe(campaignId)
})

test('concurrent deletion and scheduling: one of them wins, and a deleted campaign is never sent', async () => {
  for (let n = 0; n < 5; n += 1) {
    const { campaignId } = await rig.draft(audience)
    const [deleted, scheduled] = await Promise.allSettled([
      remove(campaignId),
      rig.schedule(campaignId, { inMs: hourMs }),
    ])
    expect([deleted.status, scheduled.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    const live = await rig.stage.query(
      `select 1 from campaigns.campaign_runs where campaign_id = $1 and state in ('building', 'scheduled', 'sending', 'paused')`,
      [campaignId],
    )
    expect(live).toHaveLength(scheduled.status === 'fulfilled' ? 1 : 0)
  }
})

test('a campaign of another tenant is not found and not deleted', async () => {
  const { campaignId } = await rig.draft(audience)
  await expect(remove(campaignId, rig.stage.caller({ workspaceId: newId() }))).rejects.toMatchObject(gone)
  await expect(remove('no-id')).rejects.toMatchObject(gone)
  expect((await rig.campaigns.getCampaign(rig.us, { campaignId })).campaign!.id).toBe(campaignId)
})
