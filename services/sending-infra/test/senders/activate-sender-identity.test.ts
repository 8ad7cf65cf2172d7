import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SenderChangedSchema } from '@lettergate/contracts/events/v1/events'
import { bootGateway, confirmation, gatedStage, unknown, type GatedStage, type Owner } from '../gated-stage.ts'
import { faultOf } from '../sending-stage.ts'

let rig: GatedStage
beforeAll(async () => {
  rig = await gatedStage()
})
afterAll(() => rig.close())

const hourMs = 3_600_000
const as = (ctx: Owner, role: string | null, platformRole: string | null = null): Owner => ({
  ...ctx,
  caller: { ...ctx.caller, role, platformRole },
})

describe('activating a sender', () => {
  test('an owner enables a sender on a ready domain; a repeat changes nothing and publishes nothing', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    for (let time = 1; time <= 2; time += 1)
      expect((await rig.activate(ctx, senderId)).senderIdentity).toMatchObject({ id: senderId, isEnabled: true })
    const rows = await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'sender_changed' and workspace_id = $1 order by id`,
      [ctx.workspaceId],
    )
    expect(rows.map(({ payload }) => fromBinary(SenderChangedSchema, payload).isEnabled)).toEqual([false, true])
  })

  test('from then on its workspace has an enabled sender, and no other workspace sees it', async () => {
    const ctx = rig.owner()
    const found = async (caller: Owner) => (await rig.sending.hasEnabledSender(caller, {})).found
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    expect(await found(ctx)).toBe(false)
    await rig.activate(ctx, senderId)
    expect(await found(ctx)).toBe(true)
    expect(await found(rig.owner())).toBe(false)
  })

  test('a platform owner may enable a sender with any workspace role; other callers may not', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    for (const other of [
      as(ctx, 'brand_admin'),
      as(ctx, 'editor'),
      as(ctx, null),
      as(ctx, 'brand_admin', 'administrator'),
    ]) {
      expect(await faultOf(rig.activate(other, senderId))).toMatchObject({ code: 'permission_denied' })
    }
    await expect(rig.activate(as(ctx, 'brand_admin', 'owner'), senderId)).resolves.toBeDefined()
  })

  test.each(['', 'activate production sending', `${confirmation}.`, 'ENABLE TEST CONNECTION'])(
    'only the exact confirmation counts, not %j',
    async (text) => {
      const ctx = rig.owner()
      const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
      expect(await faultOf(rig.activate(ctx, senderId, text))).toMatchObject({
        code: 'invalid_argument',
        reason: 'confirmation',
      })
    },
  )

  test('a closed production switch refuses the activation, and an open one allows it', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    await rig.setGate(false)
    try {
      expect(await faultOf(rig.activate(ctx, senderId))).toMatchObject({
        code: 'failed_precondition',
        reason: 'production_switch',
        message: expect.stringContaining('production_sending_enabled is closed'),
      })
    } finally {
      await rig.setGate(true)
    }
    expect((await rig.sending.getSenderReadiness(ctx, { senderIdentityId: senderId })).isEnabled).toBe(false)
    await expect(rig.activate(ctx, senderId)).resolves.toBeDefined()
  })

  test('the ceiling of the environment refuses even with an open switch, and the message names the variable', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    const below = await rig.replica({ IDENTITY_TARGET: `127.0.0.1:${await bootGateway(rig.stage, {})}` })
    expect(await faultOf(below.activateSenderIdentity(ctx, { senderId, confirmation }))).toMatchObject({
      code: 'failed_precondition',
      reason: 'production_ceiling',
      message: expect.stringContaining('ALLOW_PRODUCTION_SENDING_ACTIVATION'),
    })
    await expect(rig.activate(ctx, senderId)).resolves.toBeDefined()
  })

  test('if the gate cannot be read, the activation is refused', async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
    const alone = await rig.replica({ IDENTITY_TARGET: '127.0.0.1:9', RPC_TIMEOUT_MS: '500' })
    expect(await faultOf(alone.activateSenderIdentity(ctx, { senderId, confirmation }))).toMatchObject({
      code: 'unavailable',
    })
  })

  test('a domain that is not ready refuses the activation, and the message lists the problems', async () => {
    const ctx = rig.owner()
    const domain = await rig.domain(ctx)
    const senderId = await rig.sender(ctx, domain)
    expect(await faultOf(rig.activate(ctx, senderId))).toMatchObject({
      code: 'failed_precondition',
      reason: 'sending_domain',
      message: expect.stringMatching(
        /verification, SPF, DKIM, DMARC, alignment, quota, webhook registration are not in order/,
      ),
    })
    await rig.sending.registerSendingDomainWebhooks(ctx, { domainId: domain.id })
    expect((await faultOf(rig.activate(ctx, senderId))).message).toMatch(/: quota is not in order/)
  })

  test('a passing check that is too old is not valid', async () => {
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
      expect(await faultOf(rig.activate(ctx, senderId))).toMatchObject({
        reason: 'sending_domain',
        message: expect.stringMatching(/too old/),
      })
      expect(await rig.sending.hasReadySender(ctx, {})).toMatchObject({ found: false })
      await rig.sending.verifySendingDomain(ctx, { domainId: domain.id })
      expect(await readiness()).toMatchObject({ domainCheckIsCurrent: true })
      await expect(rig.activate(ctx, senderId)).resolves.toBeDefined()
    } finally {
      rig.stage.clock.release()
    }
  })

  test("another workspace's sender answers not_found", async () => {
    const ctx = rig.owner()
    const senderId = await rig.sender(ctx, await rig.domain(ctx))
    const otherOwner = rig.owner()
    const faults = await Promise.all(
      [senderId, unknown, 'x'].flatMap((id) => [
        faultOf(rig.activate(otherOwner, id)),
        faultOf(rig.sending.getSenderReadiness(otherOwner, { senderIdentityId: id })),
      ]),
    )
    expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1)
    expect(faults[0]).toMatchObject({ code: 'not_found' })
  })
})
