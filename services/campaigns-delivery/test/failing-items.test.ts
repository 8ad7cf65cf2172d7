import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { insertHandOff } from './message-rows.ts'

let rig: DeliveryStage
let audience: string
let worker: Awaited<ReturnType<DeliveryStage['worker']>> | undefined

beforeAll(async () => {
  rig = await openDelivery()
  audience = await rig.audience()
  await rig.subscriber(audience, 'reader@example.org')
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
  await rig.setGate(true)
})
afterAll(() => rig.close())

const startWorker = async () => void (worker = await rig.worker())
const metric = async (name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${worker!.healthPort}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith(name))
}
const failuresOf = async (job: string) =>
  Number(
    (await metric('lettergate_job_item_failures_total')).find((line) => line.includes(`job="${job}"`))?.split(' ')[1] ??
      0,
  )

/** Makes every matching update of this row fail until the test ends it. */
async function poison(table: string, id: string, when: string) {
  const name = `poison_${id.replaceAll('-', '')}`
  await rig.stage.query(
    `create function campaigns.${name}() returns trigger language plpgsql as $$ begin raise exception 'this row always fails'; end $$`,
  )
  await rig.stage.query(
    `create trigger ${name} before update on campaigns.${table} for each row when (new.id = '${id}' and ${when}) execute function campaigns.${name}()`,
  )
  return () => rig.stage.query(`drop trigger ${name} on campaigns.${table}`)
}

async function scheduled(inMs = 1_000) {
  const { campaignId } = await rig.draft(audience)
  return (await rig.schedule(campaignId, { inMs })).id
}
const stateOf = async (runId: string) => (await rig.report(runId)).run.state
const becomes = (runId: string, state: string) =>
  until(async () => (await stateOf(runId)) === state, { what: `a run to be ${state}` })

/** Inserts a call without a result for a run that is over. */
async function handOff(options: { runId: string; state: 'claimed' | 'unknown'; minutesAgo: number }) {
  const id = newId()
  const { runId: originId, ...standing } = options
  await insertHandOff(rig.stage, {
    workspaceId: rig.workspaceId,
    connectionId: rig.connectionId,
    id,
    originId,
    ...standing,
    messageIds: [newId()],
  })
  return id
}
const handOffOf = async (id: string) =>
  (
    await rig.stage.query<{ state: string; lookups: number }>(
      'select state, lookups from campaigns.hand_offs where id = $1',
      [id],
    )
  )[0]!

test('a run that cannot be started does not block the runs behind it, and starts later', async () => {
  const [failing, behind] = [await scheduled(3_600_000), await scheduled(3_600_000)]
  const cure = await poison('campaign_runs', failing, `new.state = 'sending'`)
  for (const runId of [failing, behind]) await rig.begin(runId)
  await startWorker()
  await becomes(behind, 'completed')
  expect(await stateOf(failing)).toBe('scheduled')
  expect(await failuresOf('start-due-runs')).toBeGreaterThan(0)
  await cure()
  await becomes(failing, 'completed')
})

test('a held run that cannot be released does not block the runs behind it', async () => {
  const [failing, behind] = [await scheduled(), await scheduled()]
  await rig.setGate(false)
  await startWorker()
  const heldBy = async () =>
    (
      await rig.stage.query<{ id: string; held_by: string | null }>(
        'select id, held_by from campaigns.campaign_runs where id = any($1)',
        [[failing, behind]],
      )
    ).map(({ held_by }) => held_by)
  await until(async () => (await heldBy()).every((by) => by !== null), { what: 'both to be held' })
  await rig.stage.query(
    `update campaigns.campaign_runs set started_at = started_at - interval '1 hour' where id = $1`,
    [failing],
  )
  const cure = await poison('campaign_runs', failing, 'new.held_by is null')
  await rig.setGate(true)
  await becomes(behind, 'completed')
  expect(await stateOf(failing)).toBe('sending')
  expect(await failuresOf('release-held-runs')).toBeGreaterThan(0)
  await cure()
  await becomes(failing, 'completed')
})

test('a hand-off that cannot be settled does not block the lookup of those behind it', async () => {
  const runId = await scheduled(3_600_000)
  const failing = await handOff({ runId, state: 'unknown', minutesAgo: 2 })
  const behind = await handOff({ runId, state: 'unknown', minutesAgo: 1 })
  const cure = await poison('hand_offs', failing, 'new.lookups > old.lookups')
  await startWorker()
  await until(async () => (await handOffOf(behind)).lookups === 1, { what: 'the one behind' })
  expect((await handOffOf(failing)).lookups).toBe(0)
  expect(await failuresOf('settle-unknown')).toBeGreaterThan(0)
  await cure()
})

/** Inserts a test send whose caller is gone. */
async function testSend(options: { state: 'claimed' | 'unknown'; minutesAgo: number }) {
  const id = newId()
  const { contentVersionId } = await rig.draft(audience)
  await rig.stage.query(
    `insert into campaigns.test_sends (workspace_id, id, purpose, sender_identity_id, content_version_id, recipient_email, requested_by, correlation_id)
     values ($1, $2, 'test_send', $2, $3, 'somebody@example.org', 'tester', 'c')`,
    [rig.workspaceId, id, contentVersionId],
  )
  const ids = { workspaceId: rig.workspaceId, connectionId: rig.connectionId, originId: id, id: newId() }
  await insertHandOff(rig.stage, { ...ids, kind: 'test_send', messageIds: [id], ...options })
  return ids.id
}

test('a test send that cannot be settled does not block the lookup of those behind it', async () => {
  const failing = await testSend({ state: 'unknown', minutesAgo: 2 })
  const behind = await testSend({ state: 'unknown', minutesAgo: 1 })
  const cure = await poison('hand_offs', failing, 'new.lookups > old.lookups')
  await startWorker()
  await until(async () => (await handOffOf(behind)).lookups === 1, { what: 'the one behind' })
  expect((await handOffOf(failing)).lookups).toBe(0)
  expect(await failuresOf('settle-unknown')).toBeGreaterThan(0)
  await cure()
})

test('a test send that cannot become unknown does not block those behind it', async () => {
  const failing = await testSend({ state: 'claimed', minutesAgo: 20 })
  const behind = await testSend({ state: 'claimed', minutesAgo: 10 })
  const cure = await poison('hand_offs', failing, `new.state = 'unknown'`)
  await startWorker()
  await until(async () => (await handOffOf(behind)).state !== 'claimed', {
    what: 'the one behind',
  })
  expect((await handOffOf(failing)).state).toBe('claimed')
  expect(await failuresOf('sweep')).toBeGreaterThan(0)
  await cure()
})

test('a claim that cannot become unknown does not block the claims behind it', async () => {
  const runId = await scheduled(3_600_000)
  const failing = await handOff({ runId, state: 'claimed', minutesAgo: 20 })
  const behind = await handOff({ runId, state: 'claimed', minutesAgo: 10 })
  const cure = await poison('hand_offs', failing, `new.state = 'unknown'`)
  await startWorker()
  await until(async () => (await handOffOf(behind)).state !== 'claimed', { what: 'the one behind' })
  expect((await handOffOf(failing)).state).toBe('claimed')
  expect(await failuresOf('sweep')).toBeGreaterThan(0)
  await cure()
})

test('a cancelled run whose recipients cannot be skipped does not block the runs behind it', async () => {
  const runs = [await scheduled(3_600_000), await scheduled(3_600_000)].sort()
  const [failing, behind] = runs as [string, string]
  for (const runId of runs) await rig.campaigns.controlCampaignRun(rig.us, { runId, action: 'cancel' })
  const cure = await poison('campaign_runs', failing, 'not new.has_leftovers')
  await startWorker()
  const hasLeftovers = async (runId: string) =>
    (
      await rig.stage.query<{ has_leftovers: boolean }>(
        'select has_leftovers from campaigns.campaign_runs where id = $1',
        [runId],
      )
    )[0]!.has_leftovers
  await until(async () => !(await hasLeftovers(behind)), { what: 'the one behind' })
  expect(await hasLeftovers(failing)).toBe(true)
  expect(await failuresOf('end-leftovers')).toBeGreaterThan(0)
  await cure()
  await until(async () => !(await hasLeftovers(failing)), { what: 'the other one, once it can' })
})

test('a gauge whose table cannot be read has no value until it can be read again', async () => {
  await startWorker()
  const gauges = [
    'lettergate_hand_off_unknown_age_seconds',
    'lettergate_hand_offs_under_way',
    'lettergate_outbox_oldest_seconds',
  ]
  const shown = async () => (await Promise.all(gauges.map(metric))).map((lines) => lines.length)
  expect(await shown()).toEqual([1, 1, 1])
  await rig.stage.query('revoke select on campaigns.hand_offs, campaigns.outbox_pending from campaigns')
  try {
    expect(await shown()).toEqual([0, 0, 0])
  } finally {
    await rig.stage.query('grant select on campaigns.hand_offs, campaigns.outbox_pending to campaigns')
  }
  expect(await shown()).toEqual([1, 1, 1])
})
