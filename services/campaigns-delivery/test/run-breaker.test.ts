import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { messageStatesOf } from './message-rows.ts'

const settledMin = 60
let rig: DeliveryStage
let inTens: DeliveryStage['campaigns']
beforeAll(async () => {
  rig = await openDelivery()
  inTens = await rig.api({ DELIVERY_BATCH_SIZE: '10' })
  await rig.worker({ CONNECTION_HAND_OFFS_AT_ONCE: '2', RUN_BREAKER_SETTLED_MIN: String(settledMin) })
})
afterEach(() => rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 }))
afterAll(() => rig.close())

/** A run with batches of ten, slow enough for provider events to arrive before its end. */
async function slowRun(recipients: string[]): Promise<string> {
  const audience = await rig.audience()
  for (let n = 0; n < recipients.length; n += 20)
    await Promise.all(recipients.slice(n, n + 20).map((email) => rig.subscriber(audience, email)))
  const { campaignId } = await rig.draft(audience)
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 1_500 })
  return (await rig.schedule(campaignId, { inMs: 300, campaigns: inTens })).id
}

const paused = (runId: string) =>
  until(
    async () => {
      const found = await rig.report(runId)
      return found.run.state === 'paused' ? found : undefined
    },
    { what: 'the run to pause itself' },
  )
const claimed = async (runId: string) =>
  (
    await rig.stage.query<{ recipients: number; open: number }>(
      `select (select coalesce(sum(recipient_count), 0)::int from campaigns.hand_offs where origin_id = $1 and state <> 'put_back') as recipients,
              (select count(*)::int from campaigns.hand_offs where origin_id = $1 and state = 'claimed') as open`,
      [runId],
    )
  )[0]!
const announced = async (event: string, words: string) =>
  (
    await rig.stage.query(`select 1 from campaigns.outbox where event = $1 and position($2::bytea in payload) > 0`, [
      event,
      words,
    ])
  ).length
const resume = (runId: string) => rig.campaigns.controlCampaignRun(rig.us, { runId, action: 'resume' })

test('a run over its bounce limit pauses itself, sends only claimed messages, and continues when a person resumes it', async () => {
  const recipients = Array.from({ length: 300 }, (_, n) => `person${n}${n % 5 === 0 ? '+hardbounce' : ''}@example.org`)
  const runId = await slowRun(recipients)

  const first = await paused(runId)
  const { pausedBy } = first.report
  expect(pausedBy).toMatchObject({ rule: 'hard_bounce_rate', limit: 5 })
  expect(pausedBy!.settled).toBeGreaterThanOrEqual(settledMin)
  expect(pausedBy!.count * 100).toBeGreaterThan(5 * pausedBy!.settled)
  expect(pausedBy!.rate).toBe(Math.round((pausedBy!.count / pausedBy!.settled) * 10_000) / 100)
  expect(await announced('alert_raised', 'run_breaker_tripped')).toBe(1)
  expect(await announced('audit_recorded', 'system:run-breaker')).toBe(1)
  expect(await announced('run_paused', runId)).toBe(1)

  const atPause = (await claimed(runId)).recipients
  expect(atPause).toBeLessThan(recipients.length)
  await until(async () => (await claimed(runId)).open === 0, { what: 'open calls to end' })
  await until(
    async () => {
      const { delivered, hardBounced, sent } = (await rig.report(runId)).report
      return delivered + hardBounced === sent
    },
    { what: 'all sent messages to settle' },
  )
  const after = await rig.report(runId)
  expect([after.run.state, after.run.sentCount, (await claimed(runId)).recipients]).toEqual([
    'paused',
    atPause,
    atPause,
  ])
  expect(after.report.pausedBy).toEqual(pausedBy)

  expect((await resume(runId)).campaignRun!.state).toBe('sending')
  // the end of the alert
  expect(await announced('alert_raised', 'run_breaker_tripped')).toBeGreaterThan(1)
  expect((await rig.report(runId)).report.pausedBy).toBeUndefined()
  const second = await paused(runId)
  // Judged only by the recipients that settled since the first pause.
  const { delivered, hardBounced } = second.report
  expect(second.report.pausedBy!.settled).toBeGreaterThanOrEqual(settledMin)
  expect(second.report.pausedBy!.settled).toBeLessThanOrEqual(delivered + hardBounced - pausedBy!.settled)

  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  const ended = await until(
    async () => {
      const { run, report } = await rig.report(runId)
      if (run.state === 'paused') await resume(runId)
      return run.state === 'completed' && report.delivered + report.hardBounced === recipients.length
        ? report
        : undefined
    },
    { what: 'the run to complete' },
  )
  expect(ended).toMatchObject({ sent: 300, hardBounced: 60, delivered: 240 })
  expect(ended.pausedBy).toBeUndefined()
  const messageStates = await messageStatesOf(rig.stage, runId)
  expect(messageStates.filter(({ hand_offs }) => hand_offs !== 1)).toEqual([])
})

test('a run over its complaint limit pauses itself; a run that a person paused has no reason', async () => {
  const recipients = Array.from({ length: 160 }, (_, n) => `grump${n}${n % 4 === 0 ? '+complain' : ''}@example.org`)
  const runId = await slowRun(recipients)
  const { report } = await paused(runId)
  expect(report.pausedBy).toMatchObject({ rule: 'complaint_rate', limit: 0.3 })
  await resume(runId)
  const { campaignRun } = await rig.campaigns.controlCampaignRun(rig.us, { runId, action: 'pause' })
  expect(campaignRun!.state).toBe('paused')
  expect((await rig.report(runId)).report.pausedBy).toBeUndefined()
  await rig.campaigns.controlCampaignRun(rig.us, { runId, action: 'cancel' })
})

test('a run within its limits is not paused', async () => {
  const recipients = Array.from({ length: 100 }, (_, n) => `calm${n}@example.org`)
  const runId = await slowRun(recipients)
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  const { report } = await until(
    async () => {
      const found = await rig.report(runId)
      return found.run.state === 'completed' && found.report.delivered === recipients.length ? found : undefined
    },
    { what: 'the run to complete' },
  )
  expect(report.pausedBy).toBeUndefined()
})
