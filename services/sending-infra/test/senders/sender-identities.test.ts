import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { gatedStage, unknown, type GatedStage, type Owner } from '../gated-stage.ts'
import { faultOf } from '../sending-stage.ts'

let rig: GatedStage
beforeAll(async () => {
  rig = await gatedStage()
})
afterAll(() => rig.close())

const readyFor = async (ctx: Owner) =>
  rig.sending.getSenderReadiness(ctx, { senderIdentityId: await rig.sender(ctx, await rig.readyDomain(ctx)) })

describe('creating a sender', () => {
  const request = (domain: { id: string; name: string }, more: object = {}) => ({
    sendingDomainId: domain.id,
    displayName: 'Acme News',
    fromAddress: `news@${domain.name}`,
    replyTo: 'hello@acme.test',
    ...more,
  })

  test('it is disabled, and has the state of its domain', async () => {
    const ctx = rig.owner()
    const domain = await rig.domain(ctx)
    const { senderIdentity } = await rig.sending.createSenderIdentity(
      ctx,
      request(domain, { fromAddress: ` News@${domain.name.toUpperCase()} `, displayName: ' Zoë & Co ' }),
    )
    expect(senderIdentity).toMatchObject({
      displayName: 'Zoë & Co',
      fromAddress: `News@${domain.name}`,
      replyTo: 'hello@acme.test',
      verificationState: 'pending',
      isEnabled: false,
    })
    await rig.sending.verifySendingDomain(ctx, { domainId: domain.id })
    expect((await rig.sending.createSenderIdentity(ctx, request(domain))).senderIdentity!.verificationState).toBe(
      'verified',
    )
  })

  test.each(['news@acme.test', 'news@sub.', 'news@evil'])(
    'a from-address outside the domain is refused: %s',
    async (start) => {
      const ctx = rig.owner()
      const domain = await rig.domain(ctx)
      const fromAddress = start.endsWith('acme.test') ? start : `${start}${domain.name}`
      expect(await faultOf(rig.sending.createSenderIdentity(ctx, request(domain, { fromAddress })))).toMatchObject({
        code: 'invalid_argument',
        reason: 'from_address',
      })
    },
  )

  test.each([
    ['display_name', { displayName: ' ' }],
    ['display_name', { displayName: 'Acme\r\nBcc: everyone@acme.test' }],
    ['from_address', { fromAddress: 'nobody' }],
    ['reply_to', { replyTo: 'a@b@c' }],
    ['sending_domain_id', { sendingDomainId: unknown }],
    ['sending_domain_id', { sendingDomainId: 'nonsense' }],
  ])('a wrong %s is refused naming the field', async (field, more) => {
    const ctx = rig.owner()
    const domain = await rig.domain(ctx)
    expect(await faultOf(rig.sending.createSenderIdentity(ctx, request(domain, more)))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })

  test("another workspace's domain cannot be used, and is refused like an unknown one", async () => {
    const domain = await rig.domain(rig.owner())
    const otherOwner = rig.owner()
    const theirs = await faultOf(rig.sending.createSenderIdentity(otherOwner, request(domain)))
    expect(theirs).toEqual(
      await faultOf(rig.sending.createSenderIdentity(otherOwner, request({ ...domain, id: unknown }))),
    )
  })
})

describe('operations for other services', () => {
  test('a hand-off gets the whole state of a sender in one answer', async () => {
    const ctx = rig.owner()
    const domain = await rig.readyDomain(ctx)
    const senderId = await rig.sender(ctx, domain)
    await rig.activate(ctx, senderId)
    expect(await rig.sending.getSenderReadiness(ctx, { senderIdentityId: senderId })).toMatchObject({
      senderIdentityId: senderId,
      isEnabled: true,
      displayName: 'Acme News',
      fromAddress: `news@${domain.name}`,
      replyTo: 'hello@acme.test',
      sendingDomainId: domain.id,
      domainName: domain.name,
      domainIsReady: true,
      domainCheckIsCurrent: true,
      providerConnectionId: domain.connectionId,
      connectionIsActive: true,
      connectionState: 'verified',
      region: 'us',
      credentialEnvKey: 'MAILPROVIDER_API_KEY',
    })
  })

  test('the next hand-off sees a regression', async () => {
    const ctx = rig.owner()
    const { senderIdentityId, sendingDomainId, domainName } = await readyFor(ctx)
    await rig.sim('PUT', `/domains/${domainName}`, { state: 'disabled' })
    await rig.sending.verifySendingDomain(ctx, { domainId: sendingDomainId })
    expect(await rig.sending.getSenderReadiness(ctx, { senderIdentityId })).toMatchObject({
      domainIsReady: false,
      domainCheckIsCurrent: false,
    })
  })

  test('a ready sender is any sender of this workspace on a ready domain, enabled or not', async () => {
    const ctx = rig.owner()
    const found = async (caller: Owner) => (await rig.sending.hasReadySender(caller, {})).found
    expect(await found(ctx)).toBe(false)
    const domain = await rig.readyDomain(ctx)
    expect(await found(ctx)).toBe(false)
    await rig.sender(ctx, domain)
    expect(await found(ctx)).toBe(true)
    expect(await found(rig.owner())).toBe(false)
  })
})
