import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { openReceiver, type Receiver } from './webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
let rig: DeliveryStage
let receiver: Receiver
beforeAll(async () => {
  rig = await openDelivery()
  receiver = await openReceiver(secret)
})
afterAll(async () => {
  await rig.close()
  await receiver.close()
})

const set = (campaignWebhookUrl: string, campaignWebhookSecret = secret) =>
  rig.campaigns.setCampaignWebhook(rig.us, { campaignWebhookUrl, campaignWebhookSecret })

describe('where private addresses are not allowed', () => {
  test('a URL with another scheme or port than https on 443, or with an IP address, is refused, and a stored one is not posted to', async () => {
    const strict = await rig.api({ CAMPAIGN_WEBHOOK_ALLOW_PRIVATE: 'false' })
    for (const url of [
      'http://hooks.example.com/',
      'https://hooks.example.com:8443/',
      'https://8.8.8.8/',
      'https://127.0.0.1/',
      'https://localhost/',
      'https://[::1]/',
    ])
      await expect(strict.setCampaignWebhook(rig.us, { campaignWebhookUrl: url })).rejects.toMatchObject({
        code: 'invalid_argument',
        reason: 'campaign_webhook_url',
      })
    await set(receiver.url)
    const before = receiver.received.length
    const { delivery } = await strict.testCampaignWebhook(rig.us, {})
    expect(delivery).toMatchObject({ state: 'failed', failureReason: 'url_refused' })
    expect(receiver.received).toHaveLength(before)
  })
})

test('nothing is posted before both are set, and a test gets an error', async () => {
  const us = rig.stage.caller({ workspaceId: newId() })
  await expect(rig.campaigns.testCampaignWebhook(us, {})).rejects.toMatchObject({ code: 'failed_precondition' })
  await rig.campaigns.setCampaignWebhook(us, { campaignWebhookUrl: receiver.url })
  await expect(rig.campaigns.testCampaignWebhook(us, {})).rejects.toMatchObject({ code: 'failed_precondition' })
  const without = await rig.api({ CAMPAIGN_WEBHOOK_KEYS: '' })
  await expect(without.setCampaignWebhook(us, { campaignWebhookSecret: secret })).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'campaign_webhook_keys',
  })
  expect((await rig.campaigns.getCampaignWebhook(us, {})).campaignWebhook).toMatchObject({ secretSet: false })
})

test('deliveries are listed newest first, page by page, each once, and only of this workspace', async () => {
  const us = rig.stage.caller({ workspaceId: newId() })
  await rig.campaigns.setCampaignWebhook(us, { campaignWebhookUrl: receiver.url, campaignWebhookSecret: secret })
  const made: string[] = []
  for (let n = 0; n < 5; n += 1) made.push((await rig.campaigns.testCampaignWebhook(us, {})).delivery!.id)
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await rig.campaigns.listCampaignWebhookDeliveries(us, { limit: 2, ...(cursor ? { cursor } : {}) })
    expect(page.deliveries.length).toBeLessThanOrEqual(2)
    seen.push(...page.deliveries.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor)
  expect(seen).toEqual(made.toReversed())
  const them = rig.stage.caller({ workspaceId: newId() })
  const theirs = await rig.campaigns.listCampaignWebhookDeliveries(them, {})
  expect([theirs.deliveries, theirs.webhookState!.isActive]).toEqual([[], false])
  await expect(rig.campaigns.listCampaignWebhookDeliveries(us, { limit: 0 })).rejects.toMatchObject({ reason: 'limit' })
  await expect(rig.campaigns.listCampaignWebhookDeliveries(us, { cursor: 'x' })).rejects.toMatchObject({
    reason: 'cursor',
  })
})
