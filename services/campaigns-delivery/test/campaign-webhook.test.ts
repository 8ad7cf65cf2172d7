import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { answering, openReceiver, taking, type Receiver } from './webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
let rig: DeliveryStage
let receiver: Receiver
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker({ CAMPAIGN_WEBHOOK_TIMEOUT_MS: '5000' })
  receiver = await openReceiver(secret)
})
afterEach(() => receiver.behave(taking))
afterAll(async () => {
  await rig.close()
  await receiver.close()
})

const set = (campaignWebhookUrl: string, campaignWebhookSecret = secret) =>
  rig.campaigns.setCampaignWebhook(rig.us, { campaignWebhookUrl, campaignWebhookSecret })
const deliveries = async () => (await rig.campaigns.listCampaignWebhookDeliveries(rig.us, {})).deliveries
const standing = async () => (await rig.campaigns.listCampaignWebhookDeliveries(rig.us, {})).webhookState!
/** Inserts a pending delivery without sending a run. */
const owe = async () => {
  const { campaignId } = await rig.draft(await rig.audience())
  const { id } = await rig.schedule(campaignId, { inMs: 3_600_000 })
  return until(
    async () =>
      (
        await rig.stage.query<{ id: string }>(
          `select id from campaigns.campaign_webhook_deliveries where run_id = $1`,
          [id],
        )
      )[0]?.id,
  )
}
const stored = async (id: string) =>
  (
    await rig.stage.query<{
      state: string
      attempt_count: number
      failure_reason: string | null
      attempts: { error: string | null }[]
      wait: number | null
    }>(
      `select state, attempt_count, failure_reason, attempts, extract(epoch from next_attempt_at - now())::float8 as wait from campaigns.campaign_webhook_deliveries where id = $1`,
      [id],
    )
  )[0]!
const attempted = (id: string, count = 1) =>
  until(
    async () => {
      const found = await stored(id)
      return found.attempts.length >= count ? found : undefined
    },
    { what: `attempt ${count}` },
  )
const alerts = (code = '') =>
  rig.stage
    .query<{ id: string }>(
      `select id from campaigns.outbox where event = 'alert_raised' and position($1::bytea in payload) > 0`,
      [Buffer.from(code)],
    )
    .then((rows) => rows.length)

test('the receiver gets signed events when a run is scheduled, started and completed, with the run as the API shows it', async () => {
  await set(receiver.url)
  const audience = await rig.audience()
  await rig.subscriber(audience, 'anna@example.org')
  const { campaignId } = await rig.draft(audience)
  const { id } = await rig.schedule(campaignId)
  const received = () => receiver.received.filter(({ verified }) => verified.data['id'] === id)
  await until(async () => received().length === 3, { what: 'three events' })
  const byType = new Map(received().map((each) => [each.verified.type, each]))
  expect([...byType.keys()].sort()).toEqual([
    'campaign_run.completed',
    'campaign_run.scheduled',
    'campaign_run.started',
  ])
  expect(byType.get('campaign_run.scheduled')!.verified.data).toEqual({
    id,
    campaign_id: campaignId,
    snapshot_id: expect.any(String),
    state: 'scheduled',
    scheduled_for: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    included_count: 1,
    excluded_count: 0,
    sent_count: expect.any(Number),
    failed_count: 0,
    exclusion_counts: {},
    resends_run_id: null,
    resent_by_run_id: null,
  })
  expect(byType.get('campaign_run.completed')!.verified.data).toMatchObject({
    state: 'completed',
    sent_count: 1,
    report: { sent: 1, held_by: null, events: { accepted: expect.any(Number) } },
  })
  expect(receiver.refused).toEqual([])
  // The receiver gets the request before the result is stored.
  await until(async () =>
    (await deliveries()).every(({ state, attempts }) => state === 'delivered' && attempts.length === 1),
  )
})

test('a failed delivery is retried with the same id and body, and respects Retry-After', async () => {
  await set(receiver.url)
  receiver.behave(answering(503, { 'retry-after': '120' }))
  const id = await owe()
  const first = await attempted(id)
  expect(first).toMatchObject({ state: 'pending', attempt_count: 1, attempts: [{ error: 'status_503', status: 503 }] })
  expect(first.wait).toBeGreaterThan(100)
  receiver.behave(taking)
  await rig.stage.query(`update campaigns.campaign_webhook_deliveries set next_attempt_at = now() where id = $1`, [id])
  expect(await attempted(id, 2)).toMatchObject({ state: 'delivered', attempt_count: 2 })
  const received = receiver.received.filter((each) => each.id === id)
  expect(received).toHaveLength(2)
  expect(received[0]!.body).toBe(received[1]!.body)
})

describe('a response that does not accept the delivery', () => {
  test('a redirect is not followed', async () => {
    const elsewhere = await openReceiver(secret)
    await set(receiver.url)
    receiver.behave(answering(307, { location: elsewhere.url }))
    expect(await attempted(await owe())).toMatchObject({ state: 'pending', attempts: [{ error: 'redirect_307' }] })
    expect([elsewhere.received, elsewhere.refused]).toEqual([[], []])
    await elsewhere.close()
  })

  test('the receiver closes the connection, has no TLS, or does not exist', async () => {
    await set(receiver.url)
    receiver.behave((response) => response.destroy())
    expect(await attempted(await owe())).toMatchObject({ state: 'pending', attempts: [{ error: 'no_answer' }] })
    await set(`https://127.0.0.1:${receiver.port}/`)
    expect(await attempted(await owe())).toMatchObject({ state: 'pending', attempts: [{ error: 'not_connected' }] })
    await set('http://127.0.0.1:9/')
    expect(await attempted(await owe())).toMatchObject({ state: 'pending', attempts: [{ error: 'not_connected' }] })
  })

  test('an endless response is cut off, and its status counts', async () => {
    await set(receiver.url)
    receiver.behave((response) => {
      response.writeHead(200)
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) continue
      }
      response.on('drain', pour)
      pour()
    })
    expect(await attempted(await owe())).toMatchObject({ state: 'delivered', attempts: [{ error: null, status: 200 }] })
  })
})

test('a receiver that sends its response forever slowly runs into the timeout', async () => {
  await set(receiver.url)
  receiver.behave((response) => {
    response.writeHead(200)
    const dribble = setInterval(() => response.write('.'), 50)
    response.on('close', () => clearInterval(dribble))
  })
  expect(await attempted(await owe())).toMatchObject({
    state: 'pending',
    attempts: [{ error: 'no_answer', status: null }],
  })
})

test('every action on a run is delivered as an event', async () => {
  await set(receiver.url)
  const owed = async (runId: string) =>
    (
      await rig.stage.query<{ type: string; run_state: string }>(
        `select type, run_state from campaigns.campaign_webhook_deliveries where run_id = $1 order by occurred_at, id`,
        [runId],
      )
    ).map(({ type, run_state }) => `${type} ${run_state}`)
  const control = (runId: string, action: string) => rig.campaigns.controlCampaignRun(rig.us, { runId, action })
  const { campaignId } = await rig.draft(await rig.audience())
  const { id } = await rig.schedule(campaignId, { inMs: 3_600_000 })
  await control(id, 'pause')
  await control(id, 'resume')
  await rig.campaigns.unscheduleCampaignRun(rig.us, { runId: id })
  expect(await owed(id)).toEqual([
    'campaign_run.scheduled scheduled',
    'campaign_run.paused paused',
    'campaign_run.resumed scheduled',
    'campaign_run.unscheduled unscheduled',
  ])
  const again = await rig.schedule(campaignId, { inMs: 3_600_000 })
  await control(again.id, 'cancel')
  await expect(control(again.id, 'pause')).rejects.toMatchObject({ code: 'failed_precondition' })
  expect(await owed(again.id)).toEqual(['campaign_run.scheduled scheduled', 'campaign_run.cancelled cancelled'])
})

test('a receiver that never answers delays only its own deliveries, four at a time', async () => {
  const slow = await openReceiver(secret)
  slow.behave(() => {})
  await set(receiver.url)
  const one = await owe()
  await set(slow.url)
  // All pending at once; otherwise they could fail one by one.
  await rig.stage.query(
    `insert into campaigns.campaign_webhook_deliveries (workspace_id, id, type, run_id, run_state)
     select workspace_id, gen_random_uuid(), type, run_id, run_state from campaigns.campaign_webhook_deliveries, generate_series(1, 6) where id = $1`,
    [one],
  )
  await until(async () => slow.most() === 4, { what: 'four attempts under way' })

  const other = newId()
  const them = rig.stage.caller({ workspaceId: other })
  await rig.campaigns.setCampaignWebhook(them, { campaignWebhookUrl: receiver.url, campaignWebhookSecret: secret })
  const { delivery } = await rig.campaigns.testCampaignWebhook(them, {})
  expect(delivery).toMatchObject({ state: 'delivered', type: 'campaign_webhook.test' })
  expect(slow.most()).toBe(4)
  await rig.campaigns.setCampaignWebhook(rig.us, { updateMask: { paths: ['campaign_webhook_url'] } })
  expect((await deliveries()).filter(({ state }) => state === 'pending')).toEqual([])
  await slow.close()
})

describe('a webhook that accepts nothing', () => {
  test('for 24 hours is disabled with an alert, its pending deliveries fail, and setting it again enables it', async () => {
    await set(receiver.url)
    receiver.behave(answering(500, { 'retry-after': '3600' }))
    const id = await owe()
    await attempted(id)
    const waiting = await owe()
    await attempted(waiting)
    const before = await alerts()
    await rig.stage.query(
      `update campaigns.campaign_webhook_deliveries set attempt_count = 9, next_attempt_at = now() where id = $1`,
      [id],
    )
    expect(await attempted(id, 2)).toMatchObject({ state: 'failed', failure_reason: 'undelivered_for_24_hours' })
    expect(await stored(waiting)).toMatchObject({ state: 'failed', failure_reason: 'webhook_disabled' })
    expect(await standing()).toMatchObject({ isActive: false, disabledReason: 'undelivered_for_24_hours' })
    expect(await alerts()).toBe(before + 1)
    expect(await alerts('campaign_webhook_disabled')).toBe(1)

    const { campaignId } = await rig.draft(await rig.audience())
    const { id: silent } = await rig.schedule(campaignId, { inMs: 3_600_000 })
    expect((await deliveries()).filter(({ campaignRunId }) => campaignRunId === silent)).toEqual([])

    receiver.behave(taking)
    await set(receiver.url)
    expect(await standing()).toMatchObject({ isActive: true })
    // the end of the alert
    expect(await alerts('campaign_webhook_disabled')).toBe(2)
    expect(await attempted(await owe())).toMatchObject({ state: 'delivered' })
  })

  test('and answers 410 is disabled at once', async () => {
    await set(receiver.url)
    receiver.behave(answering(410))
    expect(await attempted(await owe())).toMatchObject({ state: 'failed', failure_reason: 'gone' })
    expect(await standing()).toMatchObject({ isActive: false, disabledReason: 'gone' })
  })
})

test('a delivery whose worker died is tried again', async () => {
  await set(receiver.url)
  receiver.behave(answering(500))
  const id = await owe()
  await attempted(id)
  receiver.behave(taking)
  await rig.stage.query(
    `update campaigns.campaign_webhook_deliveries set next_attempt_at = now(), leased_until = now() - interval '1 second' where id = $1`,
    [id],
  )
  expect(await attempted(id, 2)).toMatchObject({ state: 'delivered' })
})

test('the secret is encrypted in the database and appears in no log, event or answer', async () => {
  await set(receiver.url)
  const [row] = await rig.stage.query<{ sealed_secret: string }>(
    `select sealed_secret from campaigns.campaign_webhooks where workspace_id = $1`,
    [rig.workspaceId],
  )
  expect(row!.sealed_secret).toMatch(/^k1:/)
  expect(row!.sealed_secret).not.toContain(secret.slice(6))
  const answer = await rig.campaigns.getCampaignWebhook(rig.us, {})
  expect(answer.campaignWebhook).toMatchObject({ url: receiver.url, secretSet: true })
  expect(JSON.stringify(answer)).not.toContain('whsec')
  const outbox = await rig.stage.query(`select 1 from campaigns.outbox where position('whsec'::bytea in payload) > 0`)
  expect(outbox).toEqual([])
})
