import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SenderChangedSchema } from '@lettergate/contracts/events/v1/events'
import { faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

const unknown = '01890000-0000-7000-8000-000000000000'
type Owner = ReturnType<SendingStage['owner']>
const update = async (ctx: Owner, senderId: string, more: object) =>
  (await rig.sending.updateSenderIdentity(ctx, { senderId, ...more })).senderIdentity!

/** An enabled sender. The activation is tested with the real gates. */
async function enabled(ctx: Owner) {
  const domain = await rig.readyDomain(ctx)
  const senderId = await rig.sender(ctx, domain)
  await rig.stage.query(
    `update sending.sender_identities set is_enabled = true, enabled_at = now(), enabled_by = 'owner' where id = $1`,
    [senderId],
  )
  return { senderId, domain }
}
const announced = async (ctx: Owner) =>
  (
    await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'sender_changed' and workspace_id = $1 order by id`,
      [ctx.workspaceId],
    )
  ).map(({ payload }) => fromBinary(SenderChangedSchema, payload).isEnabled)

describe('editing a sender', () => {
  test('a new name or reply-to keeps the sender enabled and is published; a repeat is harmless', async () => {
    const ctx = rig.owner()
    const { senderId } = await enabled(ctx)
    for (let time = 1; time <= 2; time += 1)
      expect(await update(ctx, senderId, { displayName: ' Acme Weekly ', replyTo: 'Reply@ACME.test' })).toMatchObject({
        displayName: 'Acme Weekly',
        replyTo: 'Reply@acme.test',
        isEnabled: true,
      })
    expect(await announced(ctx)).toEqual([false, true])
    expect(await update(ctx, senderId, {})).toMatchObject({ displayName: 'Acme Weekly', isEnabled: true })
  })

  test('a new from-address disables the sender until an owner activates it again; another spelling of the same domain does not', async () => {
    const ctx = rig.owner()
    const { senderId, domain } = await enabled(ctx)
    expect(await update(ctx, senderId, { fromAddress: ` news@${domain.name.toUpperCase()} ` })).toMatchObject({
      fromAddress: `news@${domain.name}`,
      isEnabled: true,
    })
    expect(await update(ctx, senderId, { fromAddress: `ceo@${domain.name}` })).toMatchObject({
      fromAddress: `ceo@${domain.name}`,
      isEnabled: false,
    })
    expect(await rig.sending.getSenderReadiness(ctx, { senderIdentityId: senderId })).toMatchObject({
      isEnabled: false,
    })
    expect(await announced(ctx)).toEqual([false, false])
    const [listed] = (await rig.sending.listSenderIdentities(ctx, {})).senderIdentities
    expect(listed).toMatchObject({ isEnabled: false })
    expect(listed!.enabledBy).toBeUndefined()
  })

  test.each<[string, (name: string) => object]>([
    ['display_name', () => ({ displayName: ' ' })],
    ['display_name', () => ({ displayName: 'A\r\nBcc: x@y.test' })],
    ['display_name', () => ({ updateMask: { paths: ['display_name'] } })],
    ['from_address', () => ({ fromAddress: 'news@elsewhere.test' })],
    ['from_address', (name) => ({ fromAddress: `news@sub.${name}` })],
    ['from_address', (name) => ({ fromAddress: `a b@${name}` })],
    ['from_address', () => ({ fromAddress: 'news@[127.0.0.1]' })],
    ['reply_to', () => ({ replyTo: 'nobody' })],
  ])('a wrong %s is refused naming the field, and changes nothing', async (field, more) => {
    const ctx = rig.owner()
    const { senderId, domain } = await enabled(ctx)
    expect(await faultOf(update(ctx, senderId, more(domain.name)))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
    expect(await update(ctx, senderId, {})).toMatchObject({ displayName: 'Acme News', isEnabled: true })
  })
})

test('a deleted sender appears nowhere, and its deletion is published', async () => {
  const ctx = rig.owner()
  const { senderId } = await enabled(ctx)
  expect(await rig.sending.deleteSenderIdentity(ctx, { senderId })).toMatchObject({ deleted: true })
  expect(await faultOf(rig.sending.deleteSenderIdentity(ctx, { senderId }))).toMatchObject({ code: 'not_found' })
  expect(await faultOf(rig.sending.getSenderReadiness(ctx, { senderIdentityId: senderId }))).toMatchObject({
    code: 'not_found',
  })
  expect(await announced(ctx)).toEqual([false, false])
})

test('the list is sorted by from-address and has the state of each domain; other workspaces do not see it', async () => {
  const ctx = rig.owner()
  const { senderId, domain } = await enabled(ctx)
  const { senderIdentity: second } = await rig.sending.createSenderIdentity(ctx, {
    sendingDomainId: domain.id,
    displayName: 'Zed',
    fromAddress: `alerts@${domain.name}`,
    replyTo: 'hello@acme.test',
  })
  expect((await rig.sending.listSenderIdentities(ctx, {})).senderIdentities).toMatchObject([
    { id: second!.id, isEnabled: false, domainName: domain.name, domainIsReady: true, domainCheckIsCurrent: true },
    { id: senderId, isEnabled: true, enabledBy: 'owner', sendingDomainId: domain.id, verificationState: 'verified' },
  ])
  expect((await rig.sending.listSenderIdentities(rig.owner(), {})).senderIdentities).toEqual([])
})

test("another workspace's sender, an unknown id and an invalid id give the same not_found", async () => {
  const { senderId } = await enabled(rig.owner())
  const otherOwner = rig.owner()
  const faults = await Promise.all(
    [senderId, unknown, 'x'].flatMap((id) => [
      faultOf(update(otherOwner, id, { displayName: 'mine' })),
      faultOf(rig.sending.deleteSenderIdentity(otherOwner, { senderId: id })),
    ]),
  )
  expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1)
  expect(faults[0]).toMatchObject({ code: 'not_found' })
})
