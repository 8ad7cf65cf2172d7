import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => {
  rig = await sendingStage()
})
afterAll(() => rig.close())

test('the check of a domain decides whether it is verified, independent of the quota and the webhooks', async () => {
  const ctx = rig.owner()
  const domain = await rig.domain(ctx)
  const senderIdentityId = await rig.sender(ctx, domain)
  const readiness = () => rig.sending.getSenderReadiness(ctx, { senderIdentityId })
  expect(await readiness()).toMatchObject({ domainIsVerified: false })
  await rig.sending.verifySendingDomain(ctx, { domainId: domain.id })
  expect(await readiness()).toMatchObject({ domainIsVerified: true, domainIsReady: false })
  await rig.sending.setSendingDomainReadiness(ctx, { domainId: domain.id, dkimState: 'failed' })
  expect(await readiness()).toMatchObject({ domainIsVerified: false })
})

test('a state set by a person does not verify a domain with a failed or invalid check', async () => {
  const ctx = rig.owner()
  const domain = await rig.domain(ctx)
  const senderIdentityId = await rig.sender(ctx, domain)
  const isVerified = async () => (await rig.sending.getSenderReadiness(ctx, { senderIdentityId })).domainIsVerified
  const saySo = () =>
    rig.sending.setSendingDomainReadiness(ctx, {
      domainId: domain.id,
      verificationState: 'verified',
      spfState: 'verified',
      dkimState: 'verified',
      dmarcState: 'verified',
      alignmentState: 'aligned',
    })
  await rig.sim('PUT', `/domains/${domain.name}`, { state: 'unverified' })
  await rig.sending.verifySendingDomain(ctx, { domainId: domain.id })
  await saySo()
  expect(await isVerified()).toBe(false)

  await rig.sim('PUT', `/domains/${domain.name}`, { state: 'active' })
  await rig.sending.verifySendingDomain(ctx, { domainId: domain.id })
  expect(await isVerified()).toBe(true)

  const moved = await rig.connection(ctx)
  await rig.sending.setSendingDomainProvider(ctx, {
    domainId: domain.id,
    providerConnectionId: moved,
    dkimSelector: 'k1',
  })
  await saySo()
  expect(await isVerified()).toBe(false)
})
