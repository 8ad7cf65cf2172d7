import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
})
afterAll(() => rig.close())

test('runs are listed newest first with their results, by campaign and state, page by page', async () => {
  const audience = await rig.audience()
  for (const name of ['anna', 'ben+hardbounce']) await rig.subscriber(audience, `${name}@example.org`)
  const [first, second] = [await rig.draft(audience), await rig.draft(audience)]
  const sent = await rig.schedule(first.campaignId)
  const waiting = await rig.schedule(second.campaignId, { inMs: 3_600_000 })
  await until(
    async () => {
      const { run, report } = await rig.report(sent.id)
      return run.state === 'completed' && report.delivered === 1 && report.hardBounced === 1
    },
    { what: 'both to be settled' },
  )
  const list = (filter: object = {}) => rig.campaigns.listCampaignRuns(rig.us, filter)
  const { campaignRuns } = await list()
  expect(campaignRuns.map(({ id, state }) => [id, state])).toEqual([
    [waiting.id, 'scheduled'],
    [sent.id, 'completed'],
  ])
  expect(campaignRuns[1]).toMatchObject({
    campaignId: first.campaignId,
    campaignName: 'November',
    includedCount: 2,
    sentCount: 2,
    delivered: 1,
    hardBounced: 1,
    failedCount: 0,
  })
  expect((await list({ state: 'completed' })).campaignRuns.map(({ id }) => id)).toEqual([sent.id])
  expect((await list({ campaignId: second.campaignId })).campaignRuns.map(({ id }) => id)).toEqual([waiting.id])
  expect((await list({ campaignId: 'no-id' })).campaignRuns).toEqual([])
  const { nextCursor } = await list({ limit: 1 })
  expect((await list({ limit: 1, cursor: nextCursor! })).campaignRuns.map(({ id }) => id)).toEqual([sent.id])

  const otherWorkspace = rig.stage.caller({ workspaceId: randomUUID() })
  expect((await rig.campaigns.listCampaignRuns(otherWorkspace, {})).campaignRuns).toEqual([])
  for (const [field, filter] of Object.entries({
    state: { state: 'over' },
    limit: { limit: 0 },
    cursor: { cursor: 'x' },
  }))
    await expect(list(filter)).rejects.toMatchObject({ code: 'invalid_argument', reason: field })
})
