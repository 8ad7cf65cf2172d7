import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { newRoute, scheduleThrough } from './sending-routes.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
  // the provider has closed the account of this key
  await rig.worker({ MAILPROVIDER_SECOND_KEY: 'revoked', DELIVERY_CONCURRENCY: '2' })
})
afterAll(() => rig.close())

const alerts = async () =>
  (
    await rig.stage.query<{ payload: Buffer }>(
      `select payload from campaigns.outbox where event = 'alert_raised' order by id`,
    )
  ).map(({ payload }) => fromBinary(AlertRaisedSchema, payload))

async function audienceOf(count: number, name: string) {
  const audience = await rig.audience()
  await Promise.all(Array.from({ length: count }, (_, n) => rig.subscriber(audience, `${name}${n}@example.org`)))
  return audience
}
const completed = (runId: string) =>
  until(async () => (await rig.report(runId)).run.state === 'completed', { everyMs: 100, what: 'the run to complete' })
/** Ends cooldowns until the run is completed. For 3 s a worker may still use its cached state and start another cooldown. */
const endCooldowns = (holds: 'connection_holds' | 'domain_holds', runId: string) =>
  until(
    async () => {
      await rig.stage.query(`update campaigns.${holds} set until = now() where until > now() + interval '30 seconds'`)
      await rig.stage.query('update campaigns.delivery_batches set due_at = now() where done_at is null')
      return (await rig.report(runId)).run.state === 'completed'
    },
    { everyMs: 250, what: 'the run to complete' },
  )

test('a revoked credential stops its own connection and raises an alert; another connection continues', async () => {
  const second = await newRoute(rig, rig.us, 'second.acme.test')
  const setKey = (key: string) =>
    rig.changeSending('provider_connections', second.connectionId, `credential_env_key = '${key}'`)
  await setKey('MAILPROVIDER_SECOND_KEY')

  const refusedAudience = await audienceOf(4, 'r')
  const { contentVersionId } = await rig.draft(refusedAudience)
  const { campaign } = await rig.campaigns.createCampaignDraft(rig.us, {
    name: 'Through the second',
    audienceId: refusedAudience,
    senderIdentityId: second.senderId,
    contentVersionId,
  })
  const refused = await rig.schedule(campaign!.id)
  const holds = () =>
    rig.stage.query<{ connection_id: string; reason: string }>(
      'select connection_id, reason from campaigns.connection_holds',
    )
  await until(async () => (await holds()).length > 0, { what: 'the pause' })

  const { campaignId } = await rig.draft(await audienceOf(4, 'g'))
  const good = await rig.schedule(campaignId)
  await completed(good.id)
  expect((await rig.report(good.id)).report).toMatchObject({ sent: 4, failed: 0, unknown: 0 })

  expect(await holds()).toEqual([{ connection_id: second.connectionId, reason: 'credential_refused' }])
  expect(await rig.report(refused.id)).toMatchObject({ run: { state: 'sending' }, report: { sent: 0, failed: 0 } })
  const calls = await rig.stage.query('select 1 from campaigns.hand_offs where connection_id = $1', [
    second.connectionId,
  ])
  expect(calls.length).toBeLessThanOrEqual(3)
  expect(await alerts()).toMatchObject([
    { code: 'provider_credential_refused', detail: { connection_id: second.connectionId } },
  ])

  await setKey('MAILPROVIDER_API_KEY')
  await endCooldowns('connection_holds', refused.id)
  expect((await rig.report(refused.id)).report).toMatchObject({ sent: 4, failed: 0, unknown: 0 })
  expect(await holds()).toEqual([])
  expect(await alerts()).toContainEqual(
    expect.objectContaining({ code: 'provider_credential_refused', about: second.connectionId, isOver: true }),
  )
})

test('a domain that the provider refuses is in cooldown alone, and an alert names it', async () => {
  const refused = await newRoute(rig, rig.us, 'refused.acme.test', rig.connectionId)
  const other = await newRoute(rig, rig.us, 'fine.acme.test', rig.connectionId)
  await rig.sim('PUT', '/domains/refused.acme.test', { state: 'disabled' })
  const waiting = await scheduleThrough(rig, rig.campaigns, refused, 3)
  const domainHolds = () => rig.stage.query('select connection_id, domain_name, reason from campaigns.domain_holds')
  await until(async () => (await domainHolds()).length > 0, { what: 'the cooldown of the domain' })

  const run = await scheduleThrough(rig, rig.campaigns, other, 3)
  await completed(run)
  expect((await rig.report(run)).report).toMatchObject({ sent: 3 })
  expect(await domainHolds()).toEqual([
    { connection_id: rig.connectionId, domain_name: 'refused.acme.test', reason: 'domain_refused' },
  ])
  expect(await rig.stage.query('select 1 from campaigns.connection_holds')).toEqual([])
  const calls = await rig.stage.query('select 1 from campaigns.hand_offs where origin_id = $1', [waiting])
  expect(calls).toHaveLength(1)
  expect((await alerts()).filter(({ code }) => code === 'provider_domain_refused')).toMatchObject([
    {
      code: 'provider_domain_refused',
      detail: { connection_id: rig.connectionId, domain_name: 'refused.acme.test', run_id: waiting },
    },
  ])

  await rig.sim('PUT', '/domains/refused.acme.test', { state: 'active' })
  await endCooldowns('domain_holds', waiting)
  expect((await rig.report(waiting)).report).toMatchObject({ sent: 3, failed: 0, unknown: 0 })
  expect(await domainHolds()).toEqual([])
  const [raised, ...ends] = (await alerts()).filter(({ code }) => code === 'provider_domain_refused')
  expect(ends).toMatchObject([{ about: raised!.about, isOver: true }])
})
