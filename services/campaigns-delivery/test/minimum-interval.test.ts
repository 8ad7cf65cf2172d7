import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

const recipients = 12
const hour = 3_600
let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker({ DELIVERY_CONCURRENCY: '2' })
  await rig.worker({ DELIVERY_CONCURRENCY: '2' })
})
afterEach(async () => {
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await rig.stage.query('delete from campaigns.connection_holds')
})
afterAll(() => rig.close())

async function audienceOf(minimumIntervalSeconds: number) {
  const audience = await rig.audience(minimumIntervalSeconds)
  const mark = newId()
  const addresses = Array.from({ length: recipients }, (_, n) => `p${n}.${mark}@example.org`)
  await Promise.all(addresses.map((address) => rig.subscriber(audience, address)))
  return { audience, addresses: new Set(addresses) }
}

/** Starts this many runs to one audience at the same moment and returns their reports after their end. */
async function runsAtOnce(audience: string, count: number) {
  const small = await rig.api({ DELIVERY_BATCH_SIZE: '4' })
  const drafts = await Promise.all(Array.from({ length: count }, () => rig.draft(audience)))
  const runs = await Promise.all(
    drafts.map(({ campaignId }) => rig.schedule(campaignId, { inMs: 3_600_000, campaigns: small })),
  )
  await Promise.all(runs.map(({ id }) => rig.begin(id)))
  return Promise.all(
    runs.map(({ id }) =>
      until(
        async () => {
          const { run, report } = await rig.report(id)
          return run.state === 'completed' && report
        },
        { what: 'the run to complete' },
      ),
    ),
  )
}
const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

test('overlapping runs send to each recipient of an audience with a minimum interval once, and give the reason for the others', async () => {
  const { audience, addresses } = await audienceOf(hour)
  // Nothing is accepted before all runs have started, so contacts-consent does not know the other runs yet.
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 800 })
  const reports = await runsAtOnce(audience, 3)
  const got = (await rig.messages()).map(({ to }) => to).filter((to) => addresses.has(to))
  expect(got.toSorted()).toEqual([...addresses].toSorted())
  expect(sum(reports.map(({ sent }) => sent))).toBe(recipients)
  expect(sum(reports.map(({ skipReasons }) => skipReasons['minimum_interval_not_elapsed'] ?? 0))).toBe(2 * recipients)
})

test('without a minimum interval each run sends to every recipient, and no interval is stored', async () => {
  const { audience, addresses } = await audienceOf(0)
  const reports = await runsAtOnce(audience, 2)
  expect(reports.map(({ sent }) => sent)).toEqual([recipients, recipients])
  expect((await rig.messages()).filter(({ to }) => addresses.has(to))).toHaveLength(2 * recipients)
  expect(await rig.stage.query('select 1 from campaigns.interval_claims where audience_id = $1', [audience])).toEqual(
    [],
  )
})

test('a call that did not happen uses no interval: the same run sends to these recipients later', async () => {
  const { audience, addresses } = await audienceOf(hour)
  await rig.sim('PUT', '/faults', { mode: 'rate_limit' })
  const running = runsAtOnce(audience, 1)
  await until(
    async () =>
      (
        await rig.stage.query(
          `select 1 from campaigns.hand_offs h join campaigns.run_recipients r on r.id = any(h.message_ids) where r.audience_id = $1 and h.state = 'put_back'`,
          [audience],
        )
      ).length > 0,
    { what: 'a call to be put back' },
  )
  await rig.sim('PUT', '/faults', { mode: 'none' })
  expect(await running).toMatchObject([{ sent: recipients, skipped: 0 }])
  expect((await rig.messages()).filter(({ to }) => addresses.has(to))).toHaveLength(recipients)
})

test('a message that the provider refused uses no interval: another run sends to the recipient', async () => {
  const { audience, addresses } = await audienceOf(hour)
  const [person] = await rig.stage.query<{ id: string; email: string }>(
    `select c.id, c.email from contacts.contacts c join contacts.memberships m on m.contact_id = c.id where m.audience_id = $1 limit 1`,
    [audience],
  )
  await rig.stage.query(`update contacts.contacts set email = 'not an address' where id = $1`, [person!.id])
  expect(await runsAtOnce(audience, 1)).toMatchObject([{ sent: recipients - 1, failed: 1 }])
  await rig.stage.query('update contacts.contacts set email = $2 where id = $1', [person!.id, person!.email])
  expect(await runsAtOnce(audience, 1)).toMatchObject([{ sent: 1, failed: 0 }])
  const got = (await rig.messages()).map(({ to }) => to).filter((to) => addresses.has(to))
  expect(got.toSorted()).toEqual([...addresses].toSorted())
})
