import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { openReceiver, type Receiver } from './webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
let rig: DeliveryStage
let receiver: Receiver
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker({ CAMPAIGN_WEBHOOK_TIMEOUT_MS: '30000' })
  receiver = await openReceiver(secret)
})
afterAll(async () => {
  await rig.close()
  await receiver.close()
})

/** A separate workspace with this many pending deliveries. */
async function owing(count: number, campaignWebhookUrl: string): Promise<string> {
  const workspaceId = newId()
  await rig.campaigns.setCampaignWebhook(rig.stage.caller({ workspaceId }), {
    campaignWebhookUrl,
    campaignWebhookSecret: secret,
  })
  await rig.stage.query(
    `insert into campaigns.campaign_webhook_deliveries (workspace_id, id, type)
     select $1, gen_random_uuid(), 'campaign_webhook.test' from generate_series(1, $2::integer)`,
    [workspaceId, count],
  )
  return workspaceId
}

const waitingIn = async (workspaceId: string) =>
  (
    await rig.stage.query<{ count: number }>(
      `select count(*)::int from campaigns.campaign_webhook_deliveries where workspace_id = $1 and state = 'pending'`,
      [workspaceId],
    )
  )[0]!.count

test('many waiting deliveries of one workspace do not delay another workspace', async () => {
  const busy = await owing(20_000, 'http://127.0.0.1:9/')
  const other = await owing(1, receiver.url)
  await until(async () => (await waitingIn(other)) === 0, { what: 'the delivery of the other workspace' })
  expect(await waitingIn(busy)).toBeGreaterThan(15_000)
})

test('workspaces whose receivers never answer leave room for another workspace', async () => {
  const slow = await openReceiver(secret)
  slow.behave(() => {})
  await Promise.all(Array.from({ length: 8 }, () => owing(10, slow.url)))
  await until(async () => slow.received.length === 32, { what: 'four attempts of each' })
  const other = await owing(1, receiver.url)
  await until(async () => (await waitingIn(other)) === 0, { what: 'the delivery of the other workspace' })
  expect(slow.most()).toBe(32)
  slow.behave((response) => response.destroy())
  await slow.close()
})
