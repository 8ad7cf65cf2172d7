import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { WebhookTalliedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { eventData, otherKey, signed, webhookStage, type WebhookStage } from './webhook-stage.ts'

let s: WebhookStage
beforeAll(async () => {
  s = await webhookStage()
})
afterAll(() => s.close())

/** Everything published for one connection so far. */
async function published(connectionId: string) {
  const all = (await s.announced(WebhookTalliedSchema)).filter(({ data }) => data.connectionId === connectionId)
  const repeated: Record<string, number> = {}
  for (const { testSendId, count } of all.flatMap(({ data }) => data.repeatedTestEvents))
    repeated[testSendId] = (repeated[testSendId] ?? 0) + count
  return {
    events: all.length,
    workspaces: [...new Set(all.map(({ workspaceId }) => workspaceId))],
    failures: all.reduce((sum, { data }) => sum + data.signatureFailures, 0),
    repeated,
  }
}

test('every refused signature is published in the workspace of the connection, many of them in one event', async () => {
  const connection = await s.connection()
  const stale = String(Math.floor(Date.now() / 1000) - 10 * 3_600)
  const used = signed(eventData()).signature
  await s.deliver(connection.id, eventData(), used)
  const refused = await Promise.all([
    ...Array.from({ length: 40 }, () => s.deliver(connection.id, eventData(), signed({}, otherKey).signature)),
    s.deliver(connection.id, eventData(), signed({}, undefined, stale).signature),
    s.deliver(connection.id, eventData(), used),
  ])
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]))
  const all = await until(async () => {
    const now = await published(connection.id)
    return now.failures === 42 ? now : undefined
  })
  expect(all.workspaces).toEqual([connection.workspaceId])
  expect(all.events).toBeLessThan(10)
})

test('repeated events are published with their test send; those of campaigns are not published', async () => {
  const connection = await s.connection()
  const testSendId = randomUUID()
  const ofTest = eventData({ 'user-variables': { message_id: testSendId, test_send_id: testSendId } })
  const ofCampaign = eventData()
  for (const event of [ofTest, ofCampaign]) {
    const statuses = [1, 2, 3].map(async () => (await s.deliver(connection.id, event)).json.status)
    expect((await Promise.all(statuses)).sort()).toEqual(['duplicate', 'duplicate', 'processed'])
  }
  const all = await until(async () => {
    const now = await published(connection.id)
    return now.repeated[testSendId] === 2 ? now : undefined
  })
  expect(all).toMatchObject({ failures: 0, repeated: { [testSendId]: 2 } })
})

test('an unknown connection and an unreadable body are not published', async () => {
  const connection = await s.connection()
  await s.deliver(randomUUID(), eventData(), signed({}, otherKey).signature)
  await s.send(connection.id, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } })
  await s.deliver(connection.id, eventData(), signed({}, otherKey).signature)
  await until(async () => (await published(connection.id)).failures === 1)
})
