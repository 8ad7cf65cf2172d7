import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import pg from 'pg'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { messageStatesOf } from './message-rows.ts'

let rig: DeliveryStage
let audience: string
const hourMs = 3_600_000
const people = ['a', 'b', 'c'].map((name) => `${name}@example.org`)

beforeAll(async () => {
  rig = await openDelivery()
  audience = await rig.audience()
  for (const address of people) await rig.subscriber(audience, address)
  await rig.worker({ RUN_LATE_MAX_SECONDS: '3600' })
})
afterAll(() => rig.close())

const control = (runId: string, action: string, caller = rig.us) =>
  rig.campaigns.controlCampaignRun(caller, { runId, action })
const unschedule = (runId: string, caller = rig.us) => rig.campaigns.unscheduleCampaignRun(caller, { runId })
const stateOf = async (runId: string) => (await rig.campaigns.getCampaignRun(rig.us, { runId })).campaignRun!.state
const statusOf = async (campaignId: string) =>
  (await rig.campaigns.getCampaign(rig.us, { campaignId })).campaign!.status
const notFitting = { code: 'failed_precondition', reason: 'run_state' }

async function scheduled(inMs = hourMs) {
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId, { inMs })
  return { campaignId, runId: run.id }
}

/** The published events of a run in order. */
const announced = async (runId: string) =>
  (
    await rig.stage.query<{ event: string }>(
      `select event from campaigns.outbox where event like '%run_%' and position($1::bytea in payload) > 0 order by id`,
      [Buffer.from(runId)],
    )
  ).map(({ event }) => event.split('.').at(-1))
const ends = (runId: string, state: string) =>
  until(async () => (await stateOf(runId)) === state, { what: `the run to be ${state}` })
const messagesOf = async (runId: string) =>
  (await messageStatesOf(rig.stage, runId)).map(({ state, reasons }) =>
    reasons === null ? state : `${state} ${reasons.join()}`,
  )

describe('a run that has not started', () => {
  test('is unscheduled: its campaign is a draft again, none of its recipients is sent to, and a new run sends to them', async () => {
    const { campaignId, runId } = await scheduled()
    expect((await unschedule(runId)).campaignRun).toMatchObject({ id: runId, state: 'unscheduled', sentCount: 0 })
    expect(await statusOf(campaignId)).toBe('draft')
    await rig.begin(runId)
    await until(async () => (await messagesOf(runId)).every((state) => state === 'skipped run_unscheduled'))
    expect((await rig.report(runId)).report).toMatchObject({ sent: 0, skipped: 3, skipReasons: { run_unscheduled: 3 } })
    await expect(unschedule(runId)).rejects.toMatchObject(notFitting)
    const again = await rig.schedule(campaignId, { inMs: 600 })
    await ends(again.id, 'completed')
    expect(again.id).not.toBe(runId)
    expect((await rig.report(again.id)).report.sent).toBe(3)
    expect(await stateOf(runId)).toBe('unscheduled')
  })

  test('is returned in its current state for its key after it was unscheduled', async () => {
    const { campaignId } = await rig.draft(audience)
    const scheduledFor = timestampFromDate(new Date(Date.now() + hourMs))
    const input = { campaignId, scheduledFor, idempotencyKey: newId() }
    const first = (await rig.campaigns.scheduleCampaign(rig.us, input)).campaignRun!
    await unschedule(first.id)
    expect((await rig.campaigns.scheduleCampaign(rig.us, input)).campaignRun).toMatchObject({
      id: first.id,
      state: 'unscheduled',
    })
    expect(await statusOf(campaignId)).toBe('draft')
  })

  test('is paused, and scheduled again when it is resumed before its time', async () => {
    const { campaignId, runId } = await scheduled()
    expect((await control(runId, 'pause')).campaignRun!.state).toBe('paused')
    expect(await statusOf(campaignId)).toBe('scheduled')
    await expect(unschedule(runId)).rejects.toMatchObject(notFitting)
    expect((await control(runId, 'resume')).campaignRun!.state).toBe('scheduled')
    expect(await announced(runId)).toEqual(['run_scheduled', 'run_paused', 'run_resumed'])
  })

  test('starts at once when it is resumed after its time', async () => {
    const { campaignId, runId } = await scheduled()
    await control(runId, 'pause')
    await rig.begin(runId)
    expect((await control(runId, 'resume')).campaignRun!.state).toBe('sending')
    await ends(runId, 'completed')
    expect((await messageStatesOf(rig.stage, runId)).map(({ hand_offs }) => hand_offs)).toEqual([1, 1, 1])
    expect(await statusOf(campaignId)).toBe('sent')
    expect(await announced(runId)).toEqual([
      'run_scheduled',
      'run_paused',
      'run_resumed',
      'run_started',
      'run_completed',
    ])
  })
})

describe('a run that is sending', () => {
  async function held() {
    const { campaignId } = await rig.draft(audience)
    const run = await rig.schedule(campaignId, { inMs: hourMs })
    await rig.setGate(false)
    await rig.begin(run.id)
    await until(async () => (await rig.report(run.id)).report.heldBy === 'production_sending_enabled', {
      what: 'the run to be held',
    })
    return { campaignId, runId: run.id }
  }

  test('is paused, sends nothing while the gate opens, and sends to everyone when it is resumed', async () => {
    const { campaignId, runId } = await held()
    await control(runId, 'pause')
    expect(await statusOf(campaignId)).toBe('sending')
    await rig.setGate(true)
    const { runId: other } = await scheduled(600)
    await ends(other, 'completed')
    expect(await messagesOf(runId)).toEqual(['pending', 'pending', 'pending'])
    await control(runId, 'resume')
    await ends(runId, 'completed')
    expect((await rig.report(runId)).report.sent).toBe(3)
  })

  test('is cancelled permanently: pending recipients are skipped, and no action fits any more', async () => {
    const { campaignId, runId } = await held()
    expect((await control(runId, 'cancel')).campaignRun).toMatchObject({ state: 'cancelled', sentCount: 0 })
    await rig.setGate(true)
    expect(await statusOf(campaignId)).toBe('cancelled')
    await until(async () => (await messagesOf(runId)).every((state) => state === 'skipped run_cancelled'))
    for (const action of ['pause', 'resume', 'cancel'])
      await expect(control(runId, action)).rejects.toMatchObject(notFitting)
    await expect(unschedule(runId)).rejects.toMatchObject(notFitting)
    await expect(rig.schedule(campaignId)).rejects.toMatchObject({ reason: 'campaign_not_draft' })
    expect(await stateOf(runId)).toBe('cancelled')
    await until(
      async () =>
        (await rig.stage.query('select 1 from campaigns.campaign_runs where id = $1 and has_leftovers', [runId]))
          .length === 0,
    )
  })
})

describe('while the recipients of a run cannot be counted', () => {
  const withoutHurry = { timeoutMs: 60_000 }
  let holder: pg.Client
  let runId: string

  beforeEach(async () => {
    ;({ runId } = await scheduled())
    holder = new pg.Client({ connectionString: rig.stage.adminUrl })
    await holder.connect()
    await holder.query('begin; lock table campaigns.run_tallies in access exclusive mode')
  })
  afterEach(() => holder.end())

  test('it is paused, and the counts are read again', async () => {
    const answer = rig.campaigns.controlCampaignRun(rig.us, { runId, action: 'pause' }, withoutHurry)
    await holder.query('select pg_sleep(2.5)')
    await holder.query('rollback')
    expect((await answer).campaignRun).toMatchObject({ id: runId, state: 'paused', sentCount: 0 })
  })

  test('it is paused, and the error says so', async () => {
    await expect(
      rig.campaigns.controlCampaignRun(rig.us, { runId, action: 'pause' }, withoutHurry),
    ).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'run_counts',
      message: expect.stringContaining('The run is now paused'),
    })
    await holder.query('rollback')
    expect(await stateOf(runId)).toBe('paused')
  })
})

test('each action is audited with its actor and its change', async () => {
  const { runId } = await scheduled()
  await control(runId, 'pause')
  await control(runId, 'resume')
  await control(runId, 'cancel')
  await until(async () => {
    const records = await rig.stage.query<{ action: string }>(
      'select action from identity.audit_log where subject_id = $1',
      [runId],
    )
    return (
      records
        .map(({ action }) => action)
        .sort()
        .join() === 'campaign_run_cancelled,campaign_run_paused,campaign_run_resumed,campaign_scheduled'
    )
  })
})

test('an action that does not fit changes nothing, and the error says what would fit', async () => {
  const { runId } = await scheduled()
  const before = await rig.stage.query('select * from campaigns.campaign_runs where id = $1', [runId])
  await expect(control(runId, 'resume')).rejects.toMatchObject({
    ...notFitting,
    message: 'Only a run that is paused can be resumed, and this one is scheduled. Nothing was changed.',
  })
  expect(await rig.stage.query('select * from campaigns.campaign_runs where id = $1', [runId])).toEqual(before)
})

test('a run of another tenant, an unknown run and an unknown action are not found', async () => {
  const { runId } = await scheduled()
  const them = rig.stage.caller({ workspaceId: newId() })
  for (const call of [
    () => control(runId, 'pause', them),
    () => unschedule(runId, them),
    () => control('no-id', 'pause'),
    () => control(newId(), 'pause'),
    () => control(runId, 'stop'),
    () => control(runId, 'unschedule'),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'not_found' })
  expect(await stateOf(runId)).toBe('scheduled')
})

describe('a run whose time passed while no worker ran', () => {
  const lateBy = (runId: string, interval: string) =>
    rig.stage.query('update campaigns.campaign_runs set scheduled_for = now() - $2::interval where id = $1', [
      runId,
      interval,
    ])

  test('starts late within the limit', async () => {
    const { runId } = await scheduled()
    await lateBy(runId, '50 minutes')
    await ends(runId, 'completed')
    expect((await rig.report(runId)).report.sent).toBe(3)
  })

  test('is paused once with an alert beyond it, and sent when a person resumes it', async () => {
    const { campaignId, runId } = await scheduled()
    await lateBy(runId, '2 hours')
    await ends(runId, 'paused')
    expect(await messagesOf(runId)).toEqual(['pending', 'pending', 'pending'])
    expect(await announced(runId)).toEqual(['run_scheduled', 'run_paused'])
    const acknowledgedBy = async () =>
      (
        await rig.stage.query<{ acknowledged_by: string | null }>(
          `select acknowledged_by from identity.alerts where code = 'run_overdue' and detail->>'run_id' = $1`,
          [runId],
        )
      ).map(({ acknowledged_by }) => acknowledged_by)
    await until(async () => (await acknowledgedBy()).length === 1)
    expect(await acknowledgedBy()).toEqual([null])
    expect(await statusOf(campaignId)).toBe('scheduled')
    await control(runId, 'resume')
    await ends(runId, 'completed')
    expect((await rig.report(runId)).report.sent).toBe(3)
    await until(async () => (await acknowledgedBy())[0] === 'system:end-alerts', { what: 'the alert to end' })
  })
})
