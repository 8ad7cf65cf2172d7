import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SenderChangedSchema } from '@lettergate/contracts/events/v1/events'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { loadConfig as loadGatewayConfig } from '@lettergate/gateway/config'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import { start as startGateway } from '@lettergate/gateway/service'
import type { Client } from '@lettergate/rpc'
import { faultOf, sendingStage, type SendingStage } from './sending-stage.ts'

const nobody = '127.0.0.1:9'
const confirmation = 'ACTIVATE PRODUCTION SENDING'
const unknown = '01890000-0000-7000-8000-000000000000'
const hourMs = 3_600_000

let rig: SendingStage
let identity: Client<typeof Identity>

beforeAll(async () => {
  let rpcPort = 0
  rig = await sendingStage({
    schemas: [identitySchema],
    // The gates are the real ones: the gateway keeps them, under a ceiling that this stage opens.
    identityTarget: async (stage) => {
      const gateway = await stage.boot('gateway', startGateway, loadGatewayConfig, {
        BASE_URL: 'https://lettergate.test',
        WALLET_BASE_URL: `http://${nobody}`,
        WALLET_CLIENT_ID: 'lettergate',
        WALLET_CLIENT_SECRET: 'test-wallet-secret',
        ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
        CONTACTS_CONSENT_TARGET: nobody,
        SENDING_INFRA_TARGET: nobody,
        CAMPAIGNS_DELIVERY_TARGET: nobody,
        IMPORTS_TARGET: nobody,
        AUTOMATIONS_TARGET: nobody,
        WEBHOOK_INTAKE_TARGET: nobody,
      })
      rpcPort = gateway.rpcPort
      return `127.0.0.1:${rpcPort}`
    },
  })
  identity = await rig.stage.client(Identity, rpcPort)
  await setGate(true)
})
afterAll(() => rig.close())

const setGate = (enabled: boolean) =>
  identity.setPlatformGate(rig.stage.caller({ platformRole: 'owner' }), { name: 'production_sending_enabled', enabled })

type Owner = ReturnType<SendingStage['owner']>
const as = (ctx: Owner, role: string | null, platformRole: string | null = null): Owner => ({
  ...ctx,
  caller: { ...ctx.caller, role, platformRole },
})
const activate = (ctx: Owner, senderId: string, text = confirmation) =>
  rig.sending.activateSenderIdentity(ctx, { senderId, confirmation: text })
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

  test('it is disabled, and stands as its domain stands', async () => {
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

  test("another workspace's domain cannot be used, and looks like none", async () => {
    const domain = await rig.domain(rig.owner())
    const stranger = rig.owner()
    const theirs = await faultOf(rig.sending.createSenderIdentity(stranger, request(domain)))
    expect(theirs).toEqual(
      await faultOf(rig.sending.createSenderIdentity(stranger, request({ ...domain, id: unknown }))),
    )
  })
})

describe('activating a sender', () => {
  test('an owner enables one on a ready domain; a repeat is harmless and announces nothing', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    for (let time = 1; time <= 2; time += 1)
      expect((await activate(ctx, senderId)).senderIdentity).toMatchObject({ id: senderId, isEnabled: true })
    const rows = await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'sender_changed' and workspace_id = $1 order by id`,
      [ctx.workspaceId],
    )
    expect(rows.map(({ payload }) => fromBinary(SenderChangedSchema, payload).isEnabled)).toEqual([false, true])
  })

  test('a platform owner may, whatever the role in the workspace; nobody else may', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    for (const other of [
      as(ctx, 'brand_admin'),
      as(ctx, 'editor'),
      as(ctx, null),
      as(ctx, 'brand_admin', 'administrator'),
    ]) {
      expect(await faultOf(activate(other, senderId))).toMatchObject({ code: 'permission_denied' })
    }
    await expect(activate(as(ctx, 'brand_admin', 'owner'), senderId)).resolves.toBeDefined()
  })

  test.each(['', 'activate production sending', `${confirmation}.`, 'ENABLE TEST CONNECTION'])(
    'only the exact confirmation counts, not %j',
    async (text) => {
      const ctx = rig.owner()
      const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
      expect(await faultOf(activate(ctx, senderId, text))).toMatchObject({
        code: 'invalid_argument',
        reason: 'confirmation',
      })
    },
  )

  test('a closed production gate refuses, and an open one lets it go on', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    await setGate(false)
    try {
      expect(await faultOf(activate(ctx, senderId))).toMatchObject({
        code: 'failed_precondition',
        reason: 'production_sending_enabled',
      })
    } finally {
      await setGate(true)
    }
    expect((await rig.sending.getSenderReadiness(ctx, { senderIdentityId: senderId })).isEnabled).toBe(false)
    await expect(activate(ctx, senderId)).resolves.toBeDefined()
  })

  test('a domain that is not ready refuses and says what is lacking', async () => {
    const ctx = rig.owner()
    const domain = await rig.domain(ctx)
    const senderId = await rig.sender(ctx, domain)
    expect(await faultOf(activate(ctx, senderId))).toMatchObject({
      code: 'failed_precondition',
      reason: 'sending_domain',
      message: expect.stringMatching(
        /verification, SPF, DKIM, DMARC, alignment, quota, webhook registration are not in order/,
      ),
    })
    await rig.sending.registerSendingDomainWebhooks(ctx, { domainId: domain.id })
    expect((await faultOf(activate(ctx, senderId))).message).toMatch(/: quota is not in order/)
  })

  test('a passing check that is too old no longer counts', async () => {
    const ctx = rig.owner()
    const domain = await rig.readyDomain(ctx)
    const senderId = await rig.sender(ctx, domain)
    const readiness = () => rig.sending.getSenderReadiness(ctx, { senderIdentityId: senderId })
    try {
      rig.stage.clock.advance(24 * hourMs - 60_000)
      expect(await readiness()).toMatchObject({ domainIsReady: true, domainCheckIsCurrent: true })
      rig.stage.clock.advance(2 * 60_000)
      expect(await readiness()).toMatchObject({ domainIsReady: true, domainCheckIsCurrent: false })
      expect(await readiness()).toMatchObject({ domainIsVerified: false })
      expect(await faultOf(activate(ctx, senderId))).toMatchObject({
        reason: 'sending_domain',
        message: expect.stringMatching(/too old/),
      })
      expect(await rig.sending.hasReadySender(ctx, {})).toMatchObject({ found: false })
      await rig.sending.verifySendingDomain(ctx, { domainId: domain.id })
      expect(await readiness()).toMatchObject({ domainCheckIsCurrent: true })
      await expect(activate(ctx, senderId)).resolves.toBeDefined()
    } finally {
      rig.stage.clock.release()
    }
  })

  test("another workspace's sender looks missing", async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.domain(ctx))
    const stranger = rig.owner()
    const faults = await Promise.all(
      [senderId, unknown, 'x'].flatMap((id) => [
        faultOf(activate(stranger, id)),
        faultOf(rig.sending.getSenderReadiness(stranger, { senderIdentityId: id })),
      ]),
    )
    expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1)
    expect(faults[0]).toMatchObject({ code: 'not_found' })
  })
})

describe('what other services ask', () => {
  test('a hand-off learns everything about a sender in one answer', async () => {
    const ctx = rig.owner()
    const domain = await rig.readyDomain(ctx)
    const senderId = await rig.sender(ctx, domain)
    await activate(ctx, senderId)
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

  test('a regression is seen at once, by the next hand-off', async () => {
    const ctx = rig.owner()
    const { senderIdentityId, sendingDomainId, domainName } = await readyFor(ctx)
    await rig.sim('PUT', `/domains/${domainName}`, { state: 'disabled' })
    await rig.sending.verifySendingDomain(ctx, { domainId: sendingDomainId })
    expect(await rig.sending.getSenderReadiness(ctx, { senderIdentityId })).toMatchObject({
      domainIsReady: false,
      domainCheckIsCurrent: false,
    })
  })

  test('a ready sender is any one on a ready domain, enabled or not, of this workspace', async () => {
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
