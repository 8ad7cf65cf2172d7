import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstIdOf, newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openAutomationEmails, type AutomationStage } from '../automation-stage.ts'
import { insertAutomationEmails, insertFacts, insertHandOff } from '../message-rows.ts'

let rig: AutomationStage
beforeAll(async () => void (rig = await openAutomationEmails()))
afterAll(() => rig.close())

const overview = (caller = rig.us) => rig.campaigns.getSendingOverview(caller, {})
const days = (count: number) => new Date(Date.now() - count * 86_400_000)

test('the totals of 7 days have all runs and the emails of automations, with their outcomes', async () => {
  const audience = await rig.audience()
  for (const name of ['anna', 'ben+hardbounce']) await rig.subscriber(audience, `${name}@example.org`)
  const first = await rig.schedule((await rig.draft(audience)).campaignId)
  await until(async () => {
    const { campaigns } = await overview()
    return campaigns!.delivered === 1 && campaigns!.hardBounced === 1
  })
  await rig.schedule((await rig.draft(audience)).campaignId)
  const people = [await rig.person('cleo'), await rig.person('dan')]
  await rig.send(people.map(({ email }) => email))
  await until(async () => {
    const { campaigns, automations } = await overview()
    return campaigns!.delivered === 2 && automations!.delivered === 2
  })
  const { since, ...found } = await overview()
  expect(Number(since!.seconds)).toBeCloseTo(days(7).getTime() / 1_000, -2)
  // The second run leaves out who bounced in the first.
  expect(found.campaigns).toMatchObject({ sent: 3, delivered: 2, hardBounced: 1 })
  expect(found.automations).toMatchObject({ sent: 2, delivered: 2, hardBounced: 0 })

  // A run that began eight days ago and still sends has emails of the last days.
  await rig.stage.query('update campaigns.campaign_runs set started_at = $2 where id = $1', [first.id, days(8)])
  expect((await overview()).campaigns).toMatchObject({ sent: 3, delivered: 2, hardBounced: 1 })

  // Older hand-offs and older steps are left out.
  const automationId = rig.automationId
  const idOf = (at: Date) => `${firstIdOf(at).slice(0, 24)}${randomUUID().slice(24)}`
  const moved = await rig.stage.query(
    'update campaigns.hand_offs set id = $2, judged_at = $3, claimed_at = $3 where origin_id = $1 returning id',
    [first.id, idOf(days(8)), days(8)],
  )
  expect(moved).toHaveLength(1)
  for (const at of [days(8), days(6)]) {
    const [workspaceId, messageId] = [rig.workspaceId, idOf(at)]
    const email = { workspaceId, originId: automationId, batch: 1, connectionId: rig.connectionId }
    await insertAutomationEmails(rig.stage, { ...email, automationId, messageIds: [messageId] })
    await insertHandOff(rig.stage, {
      ...email,
      id: idOf(at),
      kind: 'automation',
      messageIds: [messageId],
      state: 'unknown',
    })
    await insertFacts(rig.stage, { workspaceId, originId: automationId, messageId }, [{ fact: 'hard_bounced' }])
  }
  const later = await overview()
  expect(later.campaigns).toMatchObject({ sent: 1, delivered: 1, hardBounced: 0 })
  // An event proves that the message of six days ago was sent.
  expect(later.automations).toMatchObject({ sent: 3, delivered: 2, hardBounced: 1 })
})

test('the next runs are listed, the earliest first, and those under way are counted', async () => {
  const audience = await rig.audience()
  await rig.subscriber(audience, 'emma@example.org')
  const scheduled = []
  for (const inMs of [5, 3, 7, 2, 6, 4].map((hours) => hours * 3_600_000))
    scheduled.push({ inMs, ...(await rig.schedule((await rig.draft(audience)).campaignId, { inMs })) })
  const found = await overview()
  const inOrder = scheduled.toSorted((one, other) => one.inMs - other.inMs)
  expect(found.nextRuns.map(({ id }) => id)).toEqual(inOrder.slice(0, 5).map(({ id }) => id))
  expect(found.nextRuns[0]).toMatchObject({ campaignName: 'November', includedCount: 1 })
  expect(found).toMatchObject({ runsScheduled: 6, runsSending: 0 })
})

test('another workspace has nothing of it', async () => {
  const { campaigns, automations, nextRuns, runsScheduled } = await overview(rig.stage.caller({ workspaceId: newId() }))
  const nothing = { sent: 0, delivered: 0, hardBounced: 0 }
  expect([campaigns, automations]).toMatchObject([nothing, nothing])
  expect([nextRuns, runsScheduled]).toEqual([[], 0])
})
