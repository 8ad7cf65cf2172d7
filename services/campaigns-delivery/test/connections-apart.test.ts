import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
  // the account behind this key is closed at the provider
  await rig.worker({ MAILPROVIDER_SECOND_KEY: 'revoked', DELIVERY_CONCURRENCY: '2' })
}, 90_000)
afterAll(() => rig.close())

/** A second connection with a sender of its own, in order in every way. */
async function secondSender() {
  const { us, sending } = rig
  await rig.sim('PUT', '/domains/second.acme.test', {})
  const { providerConnection } = await sending.createProviderConnection(us, {
    name: 'second',
    credentialEnvKey: 'MAILPROVIDER_API_KEY',
  })
  const connectionId = providerConnection!.id
  await sending.checkProviderConnection(us, { connectionId })
  await sending.activateProviderConnection(us, { connectionId, confirmation: 'ENABLE TEST CONNECTION' })
  const { sendingDomain } = await sending.createSendingDomain(us, {
    domainName: 'second.acme.test',
    providerConnectionId: connectionId,
  })
  const domainId = sendingDomain!.id
  await sending.setSendingDomainReadiness(us, { domainId, quotaState: 'approved' })
  await sending.registerSendingDomainWebhooks(us, { domainId })
  const { senderIdentity } = await sending.createSenderIdentity(us, {
    sendingDomainId: domainId,
    displayName: 'Second',
    fromAddress: 'news@second.acme.test',
    replyTo: 'hello@acme.test',
  })
  const senderId = senderIdentity!.id
  await sending.activateSenderIdentity(us, { senderId, confirmation: 'ACTIVATE PRODUCTION SENDING' })
  return { connectionId, senderId }
}

async function audienceOf(count: number, name: string) {
  const audience = await rig.audience()
  await Promise.all(Array.from({ length: count }, (_, n) => rig.subscriber(audience, `${name}${n}@example.org`)))
  return audience
}
const completed = (runId: string) =>
  until(async () => (await rig.report(runId)).run.state === 'completed', {
    timeoutMs: 30_000,
    everyMs: 100,
    what: 'the run to complete',
  })

test('a revoked credential pauses its own connection, tells a person, and the other connection goes on', async () => {
  const second = await secondSender()
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
  await until(async () => (await holds()).length > 0, { timeoutMs: 20_000, what: 'the pause' })

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
  const alerts = await rig.stage.query<{ payload: Buffer }>(
    `select payload from campaigns.outbox where event = 'alert_raised'`,
  )
  expect(alerts.map(({ payload }) => fromBinary(AlertRaisedSchema, payload))).toMatchObject([
    { code: 'provider_credential_refused', detail: { connection_id: second.connectionId } },
  ])

  await setKey('MAILPROVIDER_API_KEY')
  await rig.stage.query('update campaigns.connection_holds set until = now()')
  await rig.stage.query('update campaigns.delivery_batches set due_at = now() where done_at is null')
  await completed(refused.id)
  expect((await rig.report(refused.id)).report).toMatchObject({ sent: 4, failed: 0, unknown: 0 })
  expect(await holds()).toEqual([])
}, 90_000)
