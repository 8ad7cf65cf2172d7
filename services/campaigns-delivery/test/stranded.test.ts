import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { messageStatesOf } from './message-rows.ts'
import { workerProcesses } from './worker-process.ts'

let rig: DeliveryStage
const { start: worker, killAll } = workerProcesses(() => rig)
beforeAll(async () => {
  rig = await openDelivery()
})
afterEach(async () => {
  await killAll()
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await rig.stage.query('drop trigger if exists slow_commit on campaigns.hand_offs')
})
afterAll(() => rig.close())

async function scheduled(people: number, batchSize: number) {
  const audience = await rig.audience()
  await Promise.all(Array.from({ length: people }, (_, n) => rig.subscriber(audience, `person${n}@example.org`)))
  const { campaignId } = await rig.draft(audience)
  const campaigns = await rig.api({ DELIVERY_BATCH_SIZE: String(batchSize) })
  return (await rig.schedule(campaignId, { campaigns })).id
}
const becomes = (runId: string, state: string) =>
  until(async () => (await rig.report(runId)).run.state === state, {
    what: `the run to be ${state}`,
  })
const alerted = (code: string) =>
  rig.stage.query(
    `select 1 from campaigns.outbox where event = 'alert_raised' and position($1::bytea in payload) > 0`,
    [Buffer.from(code)],
  )
const isChecked = (runId: string) =>
  until(
    async () =>
      (
        await rig.stage.query('select 1 from campaigns.campaign_runs where id = $1 and ends_checked_at is not null', [
          runId,
        ])
      ).length > 0,
    { what: 'the ends of the run to be checked' },
  )
const intents = (runId: string, state: string) =>
  rig.stage.query('select 1 from campaigns.hand_offs where origin_id = $1 and state = $2', [runId, state])

/** Makes commits of an intent take three seconds, so that a worker can be stopped between its intent and its call. */
const slowCommits = () =>
  rig.stage.query(
    `create or replace function campaigns.slow_commit() returns trigger language plpgsql as $$ begin perform pg_sleep(3); return null; end $$;
     create constraint trigger slow_commit after insert on campaigns.hand_offs deferrable initially deferred for each row execute function campaigns.slow_commit()`,
  )

test('a worker that pauses until its run has ended loses no recipient: each ends with a reason, and the report adds up', async () => {
  await slowCommits()
  const stopped = await worker()
  const runId = await scheduled(6, 3)
  const sleeping = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  await until(async () => (await rig.stage.query(sleeping)).length > 0, {
    everyMs: 20,
    what: 'an intent that is being committed',
  })
  stopped.signal('SIGSTOP')
  await until(async () => (await intents(runId, 'claimed')).length > 0, { what: 'the intent' })
  await rig.stage.query('drop trigger slow_commit on campaigns.hand_offs')
  const other = await worker()
  await becomes(runId, 'completed')
  const before = (await rig.report(runId)).report
  expect(before.unknown).toBeGreaterThan(0)
  expect(before.sent + before.unknown).toBe(6)

  stopped.signal('SIGCONT')
  await until(async () => (await intents(runId, 'unknown')).length === 0, { what: 'the put-back' })
  const { report } = await rig.report(runId)
  expect({ sent: report.sent, failed: report.failed, unknown: report.unknown }).toEqual({
    sent: before.sent,
    failed: before.unknown,
    unknown: 0,
  })
  const messageStates = await messageStatesOf(rig.stage, runId)
  expect(messageStates.filter(({ state }) => state === 'failed').map(({ reasons }) => reasons)).toEqual(
    Array.from({ length: before.unknown }, () => ['too_late', 'run_completed']),
  )
  expect((await rig.messages()).filter(({ to }) => to.startsWith('person'))).toHaveLength(report.sent)
  await isChecked(runId)
  expect(await alerted('recipients_without_end')).toEqual([])
  await other.killed()
})

test('a run that fails while calls are under way also ends recipients who are put back later', async () => {
  await rig.sim('PUT', '/faults', { mode: 'rate_limit', latency_ms: 1_000 })
  await worker({ DELIVERY_CONCURRENCY: '1', DELIVERY_HAND_OFF_TIMEOUT_MS: '15000' })
  const runId = await scheduled(4, 4)
  await until(async () => (await intents(runId, 'claimed')).length > 0, { what: 'a call' })
  // Fails the run while the call is under way.
  await rig.stage.query(
    `update campaigns.campaign_runs set state = 'failed', failure_reason = 'sender_missing', has_leftovers = true where id = $1 and state = 'sending'`,
    [runId],
  )
  await until(async () => (await rig.report(runId)).report.failed === 4, {
    what: 'all to have failed',
  })
  const messageStates = await messageStatesOf(rig.stage, runId)
  expect(messageStates.map(({ state, reasons }) => [state, reasons])).toEqual(
    Array.from({ length: 4 }, () => ['failed', ['sender_missing']]),
  )
  await isChecked(runId)
})

test('a recipient without a final state in a run that is over raises an alert, which ends when each recipient has an end', async () => {
  const running = await worker()
  const runId = await scheduled(2, 2)
  await becomes(runId, 'completed')
  // Imitates a bug: recipients of the run that are in no hand-off.
  const lost = await rig.stage.query<{ id: string }>(
    `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
     select r.workspace_id, gen_random_uuid(), r.run_id, 0, r.contact_id, r.audience_id, n || '@lost.example'
       from (select * from campaigns.run_recipients where run_id = $1 limit 1) r, generate_series(1, 2) n returning id`,
    [runId],
  )
  await rig.stage.query('update campaigns.campaign_runs set ends_checked_at = null where id = $1', [runId])
  const isOpen = async () =>
    (
      await rig.stage.query<{ is_open: boolean }>(
        `select acknowledged_at is null as is_open from identity.alerts where code = 'recipients_without_end' and detail->>'run_id' = $1`,
        [runId],
      )
    ).map((row) => row.is_open)
  await until(async () => (await isOpen())[0] === true, { what: 'the alert' })
  const withoutEnd = async () =>
    (
      await rig.stage.query<{ id: string | null }>(
        'select message_without_end as id from campaigns.campaign_runs where id = $1',
        [runId],
      )
    )[0]!.id
  const ends = (id: string | null) =>
    rig.stage.query(
      `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact, reasons)
       select workspace_id, run_id, id, 'failed', '{found_later}' from campaigns.run_recipients where id = $1`,
      [id],
    )
  const [first, second] = lost.map(({ id }) => id).toSorted()
  expect(await withoutEnd()).toBe(first)
  await ends(first!)
  await until(async () => (await withoutEnd()) === second, { timeoutMs: 60_000, what: 'the other recipient' })
  expect(await isOpen()).toEqual([true])
  await ends(second!)
  await until(async () => (await isOpen())[0] === false, { timeoutMs: 60_000, what: 'the end of the alert' })
  expect(await withoutEnd()).toBeNull()
  await running.killed()
})
