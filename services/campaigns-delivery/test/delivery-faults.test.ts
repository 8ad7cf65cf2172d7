import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let audiences = 0
const hourMs = 3_600_000
/** longer than a worker keeps an answer of before the change */
const cachedAnswersMs = 5_000

beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker({ DELIVERY_HAND_OFF_TIMEOUT_MS: '5000' })
})
afterEach(async () => {
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await rig.sim('DELETE', '/messages')
  await rig.stage.query('delete from campaigns.connection_holds')
})
afterAll(() => rig.close())

async function audienceOf(count: number) {
  audiences += 1
  const audience = await rig.audience()
  const contacts = await Promise.all(
    Array.from({ length: count }, (_, n) => rig.subscriber(audience, `p${n}-${audiences}@example.org`)),
  )
  return { audience, contacts }
}
async function scheduled(count: number, inMs = 1_000) {
  const { audience, contacts } = await audienceOf(count)
  const { campaignId } = await rig.draft(audience)
  return { run: await rig.schedule(campaignId, { inMs }), contacts, campaignId }
}
const stats = async () => (await rig.sim('GET', '/stats')) as unknown as { recipients: number; message_calls: number }
const stateOf = async (runId: string) => (await rig.report(runId)).run.state
const completed = (runId: string) =>
  until(async () => (await stateOf(runId)) === 'completed', { everyMs: 100, what: 'the run to complete' })
const heldBy = (runId: string, by: string) =>
  until(async () => (await rig.report(runId)).report.heldBy === by, {
    what: `the run to be held by ${by}`,
  })

test('a contact who was suppressed after the snapshot is skipped with the reason and receives nothing', async () => {
  const { run, contacts } = await scheduled(3, hourMs)
  await rig.contacts.suppressContact(rig.us, { contactId: contacts[0]!, scope: 'workspace', reason: 'manual' })
  await rig.begin(run.id)
  await completed(run.id)
  expect((await rig.report(run.id)).report).toMatchObject({
    sent: 2,
    skipped: 1,
    skipReasons: { suppressed_workspace: 1 },
  })
  expect((await rig.messages()).map(({ to }) => to).join()).not.toContain('p0-')
})

test.each<[by: string, close: () => Promise<unknown>, open: () => Promise<unknown>]>([
  ['production_sending_enabled', () => rig.setGate(false), () => rig.setGate(true)],
  ['workspace_sending', () => rig.setWorkspace({ sending: false }), () => rig.setWorkspace({})],
  [
    'sender_identity',
    () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = false'),
    () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = true'),
  ],
])('%s holds a run that is being sent, and it continues when open again', async (by, close, open) => {
  const { run } = await scheduled(3, hourMs)
  const before = await stats()
  await close()
  await sleep(cachedAnswersMs)
  await rig.begin(run.id)
  await heldBy(run.id, by)
  await sleep(1_500)
  expect(await stateOf(run.id)).toBe('sending')
  expect((await stats()).message_calls).toBe(before.message_calls)
  await open()
  await completed(run.id)
  expect((await rig.report(run.id)).report).toMatchObject({ sent: 3 })
  expect((await rig.report(run.id)).report.heldBy).toBeUndefined()
})

test('rate limits only delay: every recipient is sent to once, and not before Retry-After', async () => {
  const before = await stats()
  await rig.sim('PUT', '/faults', { mode: 'rate_limit' })
  const { run } = await scheduled(3)
  await until(
    async () =>
      (await rig.stage.query(`select 1 from campaigns.connection_holds where reason = 'rate_limited'`)).length > 0,
    { what: 'a rate limit' },
  )
  await rig.sim('PUT', '/faults', { mode: 'none' })
  await completed(run.id)
  expect((await rig.report(run.id)).report).toMatchObject({ sent: 3, unknown: 0, failed: 0 })
  expect((await stats()).recipients - before.recipients).toBe(3)
})

test.each(['reset_after_accept', 'accept_then_timeout', 'accept_then_error', 'truncated'])(
  '%s: no recipient is sent to twice, and events settle unknown messages',
  async (mode) => {
    const before = await stats()
    await rig.sim('PUT', '/faults', { mode })
    const { run } = await scheduled(3)
    await until(async () => (await stats()).recipients - before.recipients === 3, {
      what: 'the provider to accept',
    })
    await completed(run.id)
    await until(async () => (await rig.report(run.id)).report.delivered === 3, {
      what: 'deliveries',
    })
    await rig.sim('PUT', '/faults', { mode: 'none' })
    await sleep(2_500)
    expect((await rig.report(run.id)).report).toMatchObject({ sent: 3, delivered: 3, unknown: 0 })
    expect((await stats()).recipients - before.recipients).toBe(3)
  },
)

test('a server error is never retried automatically; the provider is asked, and what it has is accepted', async () => {
  await rig.sim('PUT', '/faults', { mode: 'server_error' })
  const { run } = await scheduled(2)
  await completed(run.id)
  expect((await rig.report(run.id)).report).toMatchObject({ sent: 0, unknown: 2, noTerminalEvent: 0 })
  const calls = (await stats()).message_calls
  await rig.sim('PUT', '/faults', { mode: 'none' })
  await rig.stage.query(`update campaigns.hand_offs set next_lookup_at = now() where origin_id = $1`, [run.id])
  await until(
    async () =>
      (await rig.stage.query(`select 1 from campaigns.hand_offs where origin_id = $1 and lookups = 1`, [run.id]))
        .length === 1,
    { what: 'a look-up' },
  )
  expect((await rig.report(run.id)).report).toMatchObject({ sent: 0, unknown: 2 })
  expect((await stats()).message_calls).toBe(calls)
})

test('a message that a lookup finds is accepted without any event', async () => {
  await rig.sim('PUT', '/domains/mail.acme.test', { webhooks: {} })
  await rig.sim('PUT', '/faults', { mode: 'accept_then_error' })
  const audience = await rig.audience()
  await rig.subscriber(audience, 'quiet+silent@example.org')
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId)
  await completed(run.id)
  expect((await rig.report(run.id)).report).toMatchObject({ sent: 0, unknown: 1 })
  await rig.sim('PUT', '/faults', { mode: 'none' })
  // as after the last lookup, which raised an alert
  const [handOff] = await rig.stage.query<{ id: string }>(
    `update campaigns.hand_offs set lookups = 4, next_lookup_at = now() where origin_id = $1 returning id`,
    [run.id],
  )
  await until(async () => (await rig.report(run.id)).report.sent === 1, {
    what: 'the look-up to settle it',
  })
  const ends = await rig.stage.query(
    `select 1 from campaigns.outbox where event = 'alert_raised' and position($1::bytea in payload) > 0 and position($2::bytea in payload) > 0`,
    ['hand_off_unknown', handOff!.id],
  )
  expect(ends).toHaveLength(1)
  expect((await rig.report(run.id)).report).toMatchObject({ sent: 1, unknown: 0, noTerminalEvent: 1 })
  await rig.sending.registerSendingDomainWebhooks(rig.us, { domainId: rig.domainId })
})

test('one refused address does not stop the emails to others', async () => {
  const { run } = await scheduled(3, hourMs)
  await rig.stage.query(
    `update contacts.contacts set email = 'not an address' where id = (select contact_id from campaigns.run_recipients where run_id = $1 order by id limit 1)`,
    [run.id],
  )
  await rig.begin(run.id)
  await completed(run.id)
  expect((await rig.report(run.id)).report).toMatchObject({ sent: 2, failed: 1 })
})

test('a run whose recipients the provider refuses one after another pauses itself, and goes on after a person resumed it', async () => {
  await rig.sim('PUT', '/faults', { mode: 'refuse' })
  const { run } = await scheduled(60)
  await until(async () => (await stateOf(run.id)) === 'paused', { what: 'the run to pause itself' })
  const { report } = await rig.report(run.id)
  expect(report.pausedBy).toMatchObject({ rule: 'refused_rate', limit: 95 })
  expect(report.failed).toBeGreaterThanOrEqual(20)
  const alerts = await rig.stage.query(
    `select 1 from campaigns.outbox where event = 'alert_raised' and payload::text like '%' || encode($1::bytea, 'hex') || '%'`,
    [Buffer.from('refused_rate')],
  )
  expect(alerts).toHaveLength(1)

  await rig.sim('PUT', '/faults', { mode: 'none' })
  await rig.campaigns.controlCampaignRun(rig.us, { runId: run.id, action: 'resume' })
  await completed(run.id)
  const ended = (await rig.report(run.id)).report
  expect(ended.failed).toBeLessThan(60)
  expect(ended.sent + ended.failed).toBe(60)
})
