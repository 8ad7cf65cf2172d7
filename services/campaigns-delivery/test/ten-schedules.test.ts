import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

/** More than the buffers of an unread stream hold, so that its transaction stays open. */
const members = 40_000
let rig: DeliveryStage

beforeAll(async () => {
  rig = await openDelivery({ contacts: { DATABASE_POOL_MAX: '2', DATABASE_LONG_POOL_MAX: '4' } })
})
afterAll(() => rig.close())

const open = async () =>
  (
    await rig.stage.query<{ jobs: number; building: number }>(
      'select count(*)::int as jobs, count(lease_id)::int as building from campaigns.snapshot_jobs where failed_at is null',
    )
  )[0]!

test('ten large schedules of one workspace do not delay unsubscribes, eligibility questions or hand-offs', async () => {
  const newsletter = await rig.audience()
  await rig.subscriber(newsletter, 'reader@example.org')
  const leaving = await rig.subscriber(newsletter, 'leaving@example.org')
  const small = await rig.schedule((await rig.draft(newsletter)).campaignId)

  const large = await rig.audience()
  await rig.members(large, members)
  // None of the ten can finish until the test allows it.
  await rig.stage.query('create table campaigns.held (yes boolean); insert into campaigns.held values (true)')
  await rig.stage.query('grant select on campaigns.held to campaigns')
  await rig.stage.query(
    `create function campaigns.wait_while_held() returns trigger language plpgsql as $$
       begin while exists (select from campaigns.held) loop perform pg_sleep(0.02); end loop; return new; end $$`,
  )
  await rig.stage.query(
    `create trigger hold before insert on campaigns.run_recipients for each row execute function campaigns.wait_while_held()`,
  )
  const drafts = []
  for (let n = 0; n < 10; n += 1) drafts.push((await rig.draft(large)).campaignId)
  const answers = drafts.map((campaignId) =>
    rig.campaigns
      .scheduleCampaign(
        rig.us,
        { campaignId, scheduledFor: timestampFromDate(new Date(Date.now() + 3_600_000)), idempotencyKey: newId() },
        { timeoutMs: 20_000 },
      )
      .then(
        () => 'answered',
        ({ code }: { code: string }) => code,
      ),
  )
  await until(async () => (await open()).jobs === 10 && (await open()).building === 2, {
    what: 'ten snapshots to be asked for and two to be built',
  })

  const eligibility = () => rig.contacts.getEligibility(rig.us, { contactId: leaving, audienceId: newsletter })
  expect((await eligibility()).eligibility!.reasons).toEqual([])
  await rig.contacts.unsubscribeContact(rig.us, { contactId: leaving, audienceId: newsletter })
  expect((await eligibility()).eligibility!.reasons).toContain('consent_withdrawn')
  await rig.worker({ DELIVERY_CONCURRENCY: '1' })
  await until(async () => (await rig.report(small.id)).run.state === 'completed', {
    what: 'the small run to be sent',
  })
  expect((await rig.messages()).map(({ to }) => to)).toEqual(['reader@example.org'])
  expect((await open()).jobs).toBe(10)

  // The callers are told to ask again; no other request needed these resources.
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 10 }, () => 'unavailable'))
})
