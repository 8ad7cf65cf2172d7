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
  await rig.sim('DELETE', '/messages')
})
afterAll(() => rig.close())

async function scheduled(count: number, inMs = 1_000, campaigns = rig.campaigns) {
  const audience = await rig.audience()
  await Promise.all(Array.from({ length: count }, (_, n) => rig.subscriber(audience, `person${n}@example.org`)))
  const { campaignId } = await rig.draft(audience)
  return rig.schedule(campaignId, { inMs, campaigns })
}

const stats = async () =>
  (await rig.sim('GET', '/stats')) as unknown as { accepted: number; recipients: number; message_calls: number }
/** Counts recipients by state and by the state of their call. */
async function states(runId: string) {
  const counts = new Map<string, { state: string; hand_off: string | null; count: number }>()
  for (const { state, hand_off, hand_offs } of await messageStatesOf(rig.stage, runId)) {
    expect(hand_offs).toBeLessThanOrEqual(1)
    const known = counts.get(`${state} ${hand_off}`) ?? { state, hand_off, count: 0 }
    counts.set(`${state} ${hand_off}`, { ...known, count: known.count + 1 })
  }
  return [...counts.values()]
}
const completed = (runId: string) =>
  until(async () => (await rig.report(runId)).run.state === 'completed', { everyMs: 200, what: 'the run to complete' })

test('after a crash between intent and hand-off no message is sent twice, and each recipient is accounted for', async () => {
  const before = await stats()
  const dying = await worker({ DELIVERY_PAUSE_AT: 'after_intent' })
  const run = await scheduled(3)
  await dying.says('paused forever')
  await dying.killed()
  expect(await states(run.id)).toEqual([{ state: 'claimed', hand_off: 'claimed', count: 3 }])

  await worker()
  await completed(run.id)
  expect(await states(run.id)).toEqual([{ state: 'unknown', hand_off: 'unknown', count: 3 }])
  const { report } = await rig.report(run.id)
  expect(report).toMatchObject({ sent: 0, unknown: 3, failed: 0, skipped: 0 })
  expect((await stats()).recipients - before.recipients).toBe(0)
})

test('after a crash between hand-off and commit the provider has every message once, and events settle them', async () => {
  const before = await stats()
  const dying = await worker({ DELIVERY_PAUSE_AT: 'after_handoff' })
  const run = await scheduled(3)
  await dying.says('paused forever')
  await dying.killed()
  expect((await stats()).recipients - before.recipients).toBe(3)

  await worker()
  await completed(run.id)
  await until(async () => (await rig.report(run.id)).report.delivered === 3, { what: 'deliveries' })
  const { report } = await rig.report(run.id)
  expect(report).toMatchObject({ sent: 3, delivered: 3, unknown: 0, failed: 0 })
  expect(await states(run.id)).toEqual([{ state: 'delivered', hand_off: 'accepted', count: 3 }])
  expect((await stats()).recipients - before.recipients).toBe(3)
})

test('after a crash during a hand-off every message of the run is sent once by other workers', async () => {
  const before = await stats()
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 400 })
  const dying = await worker({ DELIVERY_CONCURRENCY: '2' })
  // The batch size is fixed when a run is scheduled.
  const run = await scheduled(12, 3_600_000)
  await rig.stage.query(
    `update campaigns.run_recipients set batch = n from (select id as rid, (row_number() over (order by id) - 1)::int as n from campaigns.run_recipients where run_id = $1) x where id = rid`,
    [run.id],
  )
  await rig.stage.query(
    `insert into campaigns.delivery_batches (workspace_id, run_id, batch) select $2, $1, n from generate_series(1, 11) n`,
    [run.id, rig.workspaceId],
  )
  await rig.begin(run.id)
  await until(async () => (await stats()).message_calls > before.message_calls, { what: 'the first call' })
  await dying.killed()

  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await worker()
  await completed(run.id)
  // Provider events prove what was handed over by a call without an answer.
  const messages = await until(
    async () => {
      const [{ report }, inbox] = [await rig.report(run.id), await rig.messages()]
      const isSettled = report.sent === inbox.length && report.delivered === report.sent
      return isSettled && report.sent + report.unknown === 12 ? inbox : undefined
    },
    { what: 'every recipient to have a named end, and what the provider has to be known' },
  )
  const people = messages.map(({ to }) => to)
  expect(new Set(people).size).toBe(people.length)
  const ends = await states(run.id)
  expect(ends.every(({ state, hand_off }) => state === (hand_off === 'accepted' ? 'delivered' : 'unknown'))).toBe(true)
})

test('after a crash the calls of a connection become free for others once their timeout has passed', async () => {
  const narrow = { CONNECTION_HAND_OFFS_AT_ONCE: '2' }
  const dying = await worker({ ...narrow, DELIVERY_PAUSE_AT: 'after_intent' })
  const run = await scheduled(6, 1_000, await rig.api({ DELIVERY_BATCH_SIZE: '1' }))
  const claimed = { state: 'claimed', hand_off: 'claimed', count: 2 }
  await until(async () => (await states(run.id)).some(({ count, hand_off }) => hand_off === 'claimed' && count === 2), {
    what: 'both calls to be intended',
  })
  await dying.killed()
  expect(await states(run.id)).toContainEqual(claimed)

  await worker(narrow)
  await completed(run.id)
  await until(
    async () => {
      const { sent, unknown, failed } = (await rig.report(run.id)).report
      return sent === 4 && unknown === 2 && failed === 0
    },
    { what: 'four to be sent, and two to stay unknown' },
  )
})
