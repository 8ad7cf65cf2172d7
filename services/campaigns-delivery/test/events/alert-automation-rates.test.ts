import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openEvents, type EventsStage, type ReportedEvent } from '../events-stage.ts'

/** An automation whose emails bounce or lead to complaints: the events of the provider raise an alert. */

let events: EventsStage
beforeAll(async () => {
  events = await openEvents()
})
afterAll(() => events.stage.close())

const delivered: ReportedEvent = { event: 'delivered', second: 1 }
const bounced: ReportedEvent = { event: 'failed', severity: 'permanent', reason: 'bounce', second: 1 }
const complained: ReportedEvent = { event: 'complained', second: 2 }

/** The emails of an automation, oldest first. */
async function emailsOf(automationId: string, count: number): Promise<string[]> {
  const { runId } = await events.handedOver(1)
  const ids = Array.from({ length: count }, newId)
  await events.stage.query(
    `insert into campaigns.automation_emails (workspace_id, id, automation_id, enrollment_id, batch, contact_id, audience_id, sender_identity_id, content_version_id, correlation_id)
     select $1, id, $2, id, 0, id, id, id, (select content_version_id from campaigns.campaign_runs where id = $4), 't' from unnest($3::uuid[]) id`,
    [events.workspaceId, automationId, ids, runId],
  )
  return ids
}

const say = (ids: readonly string[], event: ReportedEvent) => Promise.all(ids.map((id) => events.say(id, event)))

const factsOf = async (automationId: string) =>
  (
    await events.stage.query<{ count: number }>(
      'select count(*)::int as count from campaigns.message_facts where origin_id = $1',
      [automationId],
    )
  )[0]!.count
const factsArrived = (automationId: string, count: number) =>
  until(async () => (await factsOf(automationId)) === count, { what: `${count} facts` })

/** The published alerts about this automation. Their payload is in the encoding of protobuf, which keeps text as it is. */
const alertsAbout = (automationId: string) =>
  events.stage.query<{ payload: Buffer }>(
    `select payload from campaigns.outbox where event = 'alert_raised' and position($1::bytea in payload) > 0 order by id`,
    [automationId],
  )

test('bounces over the limit raise an alert once enough emails have settled', async () => {
  const automationId = newId()
  const ids = await emailsOf(automationId, 201)
  await say(ids.slice(0, 150), delivered)
  await factsArrived(automationId, 150)
  await say(ids.slice(150, 199), bounced)
  await factsArrived(automationId, 199)
  expect(await alertsAbout(automationId)).toEqual([])

  await say(ids.slice(199, 200), bounced)
  await factsArrived(automationId, 200)
  const [alert, ...others] = await alertsAbout(automationId)
  expect(others).toEqual([])
  const text = alert!.payload.toString()
  for (const part of ['automation_rates_exceeded', 'hard_bounce_rate']) expect(text).toContain(part)

  await say(ids.slice(200), delivered)
  await factsArrived(automationId, 201)
  expect(await alertsAbout(automationId)).toHaveLength(1)
})

test('complaints over the limit raise an alert, and bounces of others do not', async () => {
  const [automationId, other] = [newId(), newId()]
  const [ids, othersIds] = [await emailsOf(automationId, 300), await emailsOf(other, 300)]
  await say([...ids, ...othersIds.slice(0, 290)], delivered)
  await factsArrived(automationId, 300)
  await say(othersIds.slice(290), bounced)
  await say(ids.slice(0, 1), complained)
  await factsArrived(other, 300)
  await factsArrived(automationId, 301)
  const [alert] = await alertsAbout(automationId)
  expect(alert!.payload.toString()).toContain('complaint_rate')
  expect(await alertsAbout(other)).toEqual([])
})

test('only the newest emails of an automation are judged', async () => {
  const automationId = newId()
  const [old, young] = [await emailsOf(automationId, 250), await emailsOf(automationId, 5_000)]
  await events.stage.query(
    `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact) select $1, $2, id, 'delivered' from unnest($3::uuid[]) id`,
    [events.workspaceId, automationId, young],
  )
  await say(old, bounced)
  await factsArrived(automationId, 5_250)
  expect(await alertsAbout(automationId)).toEqual([])
})
