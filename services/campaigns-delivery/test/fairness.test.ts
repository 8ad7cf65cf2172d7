import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { anotherWorkspace, newRoute, prepareThrough, scheduleThrough, type TestRoute } from './sending-routes.ts'

let rig: DeliveryStage
let campaigns: DeliveryStage['campaigns']
let first: TestRoute
let second: TestRoute
const workers: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  rig = await openDelivery()
  campaigns = await rig.api({ DELIVERY_BATCH_SIZE: '1' })
  first = await newRoute(rig, await anotherWorkspace(rig, 'first'), 'first.acme.test')
  second = await newRoute(rig, await anotherWorkspace(rig, 'second'), 'second.acme.test')
})
afterEach(async () => {
  await rig.sim('PUT', '/faults', { mode: 'none' })
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})
afterAll(() => rig.close(), 60_000)

const worker = async (env: Record<string, string>) => void workers.push(await rig.patientWorker(env))
const schedule = (route: TestRoute, people: number) => scheduleThrough(rig, campaigns, route, people)
const handOffs = (runId: string) =>
  rig.stage.query<{ state: string; recipient_count: number }>(
    'select state, recipient_count from campaigns.hand_offs where origin_id = $1 order by settled_at',
    [runId],
  )
const accepted = async (runId: string) => (await handOffs(runId)).filter(({ state }) => state === 'accepted').length
const allAccepted = (runId: string, people: number) =>
  until(async () => (await accepted(runId)) === people, {
    timeoutMs: 170_000,
    everyMs: 50,
    what: 'all recipients to be sent to',
  })
const latency = (ms: number, domain?: string) =>
  rig.sim('PUT', '/faults', { mode: 'none', latency_ms: ms, ...(domain === undefined ? {} : { domain }) })

test('while all calls of one workspace hang, one worker delivers the run of another workspace', async () => {
  await worker({ DELIVERY_CONCURRENCY: '2' })
  await latency(30_000, first.domainName)
  const hanging = await schedule(first, 20)
  await until(async () => (await handOffs(hanging)).length >= 16, { what: 'calls to hang' })

  const run = await schedule(second, 20)
  await allAccepted(run, 20)
  expect((await handOffs(hanging)).map(({ state }) => state)).toEqual(Array.from({ length: 16 }, () => 'claimed'))

  await latency(0)
  await allAccepted(hanging, 20)
})

test('small runs that start after a large run are accepted before half of it, on the same connection and in another workspace', async () => {
  await worker({ CONNECTION_HAND_OFFS_AT_ONCE: '1' })
  await latency(250)
  const small = await Promise.all([first, second].map((route) => prepareThrough(rig, campaigns, route, 3)))
  const large = await schedule(first, 60)
  await until(async () => (await accepted(large)) > 0, { what: 'the large run to go out' })
  await Promise.all(small.map((runId) => rig.begin(runId)))
  await Promise.all([large, ...small].map((runId) => allAccepted(runId, runId === large ? 60 : 3)))

  for (const runId of small) {
    const [{ before }] = (await rig.stage.query<{ before: number }>(
      `select count(*)::int as before from campaigns.hand_offs where origin_id = $1
          and settled_at < (select max(settled_at) from campaigns.hand_offs where origin_id = $2)`,
      [large, runId],
    )) as [{ before: number }]
    expect(before).toBeLessThan(30)
  }
})

test('two workers together respect the call limit of a connection, and every recipient is sent to once', async () => {
  const route = await newRoute(rig, second.us, 'narrow.acme.test')
  for (const _ of [1, 2]) await worker({ CONNECTION_HAND_OFFS_AT_ONCE: '2' })
  await latency(100)
  const runId = await schedule(route, 24)
  await allAccepted(runId, 24)
  const { most_at_once: most } = (await rig.sim('GET', '/stats')) as unknown as { most_at_once: Record<string, number> }
  expect(most['narrow.acme.test']).toBeLessThanOrEqual(2)
  const sent = (await rig.messages()).filter(({ headers }) => headers['From']?.includes('narrow.acme.test'))
  expect(sent).toHaveLength(24)
  expect(new Set(sent.map(({ to }) => to)).size).toBe(24)
})

test('all workers together never exceed the rate of a connection', async () => {
  const route = await newRoute(rig, second.us, 'slow.acme.test')
  for (const _ of [1, 2]) await worker({ CONNECTION_MESSAGES_PER_SECOND: '5' })
  const runId = await schedule(route, 20)
  await allAccepted(runId, 20)
  const claims = await rig.stage.query<{ claimed: number }>(
    'select extract(epoch from claimed_at)::float8 as claimed from campaigns.hand_offs where origin_id = $1 order by claimed_at',
    [runId],
  )
  expect(claims).toHaveLength(20)
  // by database time: at most one second of credit and one call ahead of the rate
  const times = claims.map(({ claimed }) => claimed)
  for (const [from, start] of times.entries())
    for (const [to, end] of times.entries())
      if (to > from) expect(to - from).toBeLessThanOrEqual(5 * (end - start + 1) + 1.1)
})
