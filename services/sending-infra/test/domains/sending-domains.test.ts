import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import { faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

const unknown = '01890000-0000-7000-8000-000000000000'
const create = (ctx: ReturnType<SendingStage['owner']>, domainName: string, more: object = {}) =>
  rig.sending.createSendingDomain(ctx, { domainName, ...more })
const workspaceWithConnection = async (env?: { credentialEnvKey?: string; region?: string }) => {
  const ctx = rig.owner()
  return { ctx, connectionId: await rig.connection(ctx, env) }
}
/** A connection that cannot be activated. */
const idle = async (ctx: ReturnType<SendingStage['owner']>, more: { credentialEnvKey: string; region?: string }) =>
  (await rig.sending.createProviderConnection(ctx, { name: 'idle', ...more })).providerConnection!.id

describe('adding a sending domain', () => {
  test('it is read from the provider, with its DNS records and DKIM selector, and nothing is verified yet', async () => {
    const { ctx, connectionId } = await workspaceWithConnection()
    const { sendingDomain } = await create(ctx, ' MAIL.Acme.test. ', {
      trackingDomain: 'Click.acme.test',
      notes: 'first',
    })
    expect(sendingDomain).toMatchObject({
      domainName: 'mail.acme.test',
      verificationState: 'not_checked',
      spfState: 'not_checked',
      dkimState: 'not_checked',
      dmarcState: 'not_checked',
      alignmentState: 'not_checked',
      quotaState: 'not_checked',
      isReady: false,
    })
    const [row] = await rig.stage.query(`select * from sending.sending_domains where id = $1`, [sendingDomain!.id])
    expect(row).toMatchObject({
      dkim_selector: 'k1',
      provider_connection_id: connectionId,
      tracking_domain: 'click.acme.test',
      notes: 'first',
      created_by: 'tester',
    })
    const records = row!['provider_records'] as { name: string; type: string }[]
    expect(records.map(({ name, type }) => `${type} ${name}`)).toEqual([
      'TXT mail.acme.test',
      'TXT k1._domainkey.mail.acme.test',
      'CNAME email.mail.acme.test',
    ])
    expect(JSON.stringify(row)).not.toMatch(/smtp|postmaster/i)
  })

  test('a domain that is unverified at the provider can be added', async () => {
    const { ctx } = await workspaceWithConnection()
    expect((await create(ctx, 'pending.acme.test')).sendingDomain!.domainName).toBe('pending.acme.test')
  })

  test('a name that the provider does not know is refused', async () => {
    const { ctx } = await workspaceWithConnection()
    expect(await faultOf(create(ctx, 'unknown.acme.test'))).toMatchObject({
      code: 'failed_precondition',
      reason: 'provider_not_found',
      message: expect.stringMatching(/does not know/),
    })
  })

  test('without a connection, the refusal asks for one', async () => {
    expect(await faultOf(create(rig.owner(), 'mail.acme.test'))).toMatchObject({
      code: 'failed_precondition',
      reason: 'provider_connection',
      message: expect.stringMatching(/no provider connection/),
    })
  })

  test.each<[string, { credentialEnvKey: string; region?: string }, RegExp]>([
    ['without a credential', { credentialEnvKey: 'MAILPROVIDER_MISSING_KEY' }, /holds no credential/],
    ['with a refused credential', { credentialEnvKey: 'MAILPROVIDER_WRONG_KEY' }, /refused the credential/],
    [
      'with an unreachable provider',
      { credentialEnvKey: 'MAILPROVIDER_API_KEY', region: 'eu' },
      /could not be reached/,
    ],
  ])('%s it is refused with its own message, and nothing is kept', async (_, env, message) => {
    const ctx = rig.owner()
    const providerConnectionId = await idle(ctx, env)
    expect(await faultOf(create(ctx, 'mail.acme.test', { providerConnectionId }))).toMatchObject({
      code: 'failed_precondition',
      message: expect.stringMatching(message),
    })
    expect(
      await rig.stage.query('select id from sending.sending_domains where workspace_id = $1', [ctx.workspaceId]),
    ).toEqual([])
  })

  test('the newest active connection is the default', async () => {
    const { ctx } = await workspaceWithConnection()
    const newest = await rig.connection(ctx)
    await idle(ctx, { credentialEnvKey: 'MAILPROVIDER_MISSING_KEY' })
    const { sendingDomain } = await create(ctx, 'mail.acme.test')
    const [row] = await rig.stage.query<{ provider_connection_id: string }>(
      'select provider_connection_id from sending.sending_domains where id = $1',
      [sendingDomain!.id],
    )
    expect(row!.provider_connection_id).toBe(newest)
  })

  test('a duplicate domain in a workspace is a conflict, in any spelling; another workspace of the organization may add it', async () => {
    const { ctx } = await workspaceWithConnection()
    await create(ctx, 'mail.acme.test')
    expect(await faultOf(create(ctx, 'Mail.ACME.test.'))).toMatchObject({ code: 'conflict', reason: 'domain_name' })
    const other = await workspaceWithConnection()
    await expect(create(other.ctx, 'mail.acme.test')).resolves.toBeDefined()
  })

  test('a domain of one organization cannot be added by another, even with the same credential', async () => {
    const name = 'held.acme.test'
    await rig.sim('PUT', `/domains/${name}`, {})
    const otherOwner = rig.owner('globex')
    await rig.connection(otherOwner)
    const { ctx } = await workspaceWithConnection()
    const both = await Promise.allSettled([create(ctx, name), create(otherOwner, name)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [late, early] = both[0]!.status === 'fulfilled' ? ['globex', 'acme'] : ['acme', 'globex']
    const again = rig.owner(late)
    await rig.connection(again)
    expect(await faultOf(create(again, name.toUpperCase()))).toMatchObject({ code: 'conflict', reason: 'domain_name' })
    const colleague = rig.owner(early)
    await rig.connection(colleague)
    await expect(create(colleague, name)).resolves.toBeDefined()
  })

  test('a name that the provider does not know is reserved for no organization', async () => {
    const name = 'later.acme.test'
    const otherOwner = rig.owner('globex')
    await rig.connection(otherOwner)
    expect(await faultOf(create(otherOwner, name))).toMatchObject({ code: 'failed_precondition' })
    await rig.sim('PUT', `/domains/${name}`, {})
    const { ctx } = await workspaceWithConnection()
    await expect(create(ctx, name)).resolves.toBeDefined()
  })

  test('of two concurrent additions one succeeds and the other is a conflict', async () => {
    const { ctx } = await workspaceWithConnection()
    const both = await Promise.allSettled([create(ctx, 'mail.acme.test'), create(ctx, 'mail.acme.test')])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find((result) => result.status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } })
  })

  test.each([
    ['domain_name', 'co.uk', {}],
    ['domain_name', 'not a name', {}],
    ['tracking_domain', 'mail.acme.test', { trackingDomain: 'x..y' }],
    ['notes', 'mail.acme.test', { notes: 'x'.repeat(501) }],
    ['provider_connection_id', 'mail.acme.test', { providerConnectionId: unknown }],
    ['provider_connection_id', 'mail.acme.test', { providerConnectionId: 'nonsense' }],
  ])('a wrong %s is refused naming the field', async (field, name, more) => {
    const { ctx } = await workspaceWithConnection()
    expect(await faultOf(create(ctx, name, more))).toMatchObject({ code: 'invalid_argument', reason: field })
  })

  test("another workspace's connection cannot be used, and is refused like an unknown one", async () => {
    const { connectionId } = await workspaceWithConnection()
    const { ctx } = await workspaceWithConnection()
    const theirs = await faultOf(create(ctx, 'mail.acme.test', { providerConnectionId: connectionId }))
    expect(theirs).toEqual(await faultOf(create(ctx, 'mail.acme.test', { providerConnectionId: unknown })))
  })
})

describe('readiness set by a person', () => {
  test('sets the given states and leaves the others', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    const set = (more: object) => rig.sending.setSendingDomainReadiness(ctx, { domainId: id, ...more })
    expect((await set({ quotaState: 'approved', dkimState: 'pending' })).sendingDomain).toMatchObject({
      quotaState: 'approved',
      dkimState: 'pending',
      spfState: 'not_checked',
    })
    expect((await set({ spfState: 'verified', updateMask: { paths: ['spf_state'] } })).sendingDomain).toMatchObject({
      quotaState: 'approved',
      spfState: 'verified',
    })
    expect((await set({ updateMask: { paths: [] } })).sendingDomain).toMatchObject({ quotaState: 'approved' })
  })

  test('cannot make a domain ready by itself: only a check sets the webhooks', async () => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    const { sendingDomain } = await rig.sending.setSendingDomainReadiness(ctx, {
      domainId: id,
      verificationState: 'verified',
      spfState: 'verified',
      dkimState: 'verified',
      dmarcState: 'verified',
      alignmentState: 'aligned',
      quotaState: 'approved',
    })
    expect(sendingDomain!.isReady).toBe(false)
  })

  test('can make a ready domain not ready, and this is published', async () => {
    const ctx = rig.owner()
    const { id } = await rig.readyDomain(ctx)
    const { sendingDomain } = await rig.sending.setSendingDomainReadiness(ctx, {
      domainId: id,
      quotaState: 'insufficient',
    })
    expect(sendingDomain!.isReady).toBe(false)
    const rows = await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'domain_checked' and workspace_id = $1 order by id`,
      [ctx.workspaceId],
    )
    expect(rows.map(({ payload }) => fromBinary(DomainCheckedSchema, payload))).toMatchObject([
      { sendingDomainId: id, isReady: true },
      { sendingDomainId: id, isReady: false },
    ])
  })

  test.each([
    ['spf_state', { spfState: 'good' }],
    ['alignment_state', { alignmentState: 'verified' }],
    ['quota_state', { quotaState: '' }],
    ['dmarc_state', { updateMask: { paths: ['dmarc_state'] } }],
  ])('a wrong %s is refused naming the field', async (field, more) => {
    const ctx = rig.owner()
    const { id } = await rig.domain(ctx)
    expect(await faultOf(rig.sending.setSendingDomainReadiness(ctx, { domainId: id, ...more }))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })

  test("every operation on domains answers not_found for another workspace's domain", async () => {
    const { id } = await rig.domain(rig.owner())
    const otherOwner = rig.owner()
    await rig.connection(otherOwner)
    const faults = await Promise.all(
      [id, unknown, 'x'].flatMap((domainId) => [
        faultOf(rig.sending.setSendingDomainReadiness(otherOwner, { domainId, quotaState: 'approved' })),
        faultOf(rig.sending.verifySendingDomain(otherOwner, { domainId })),
        faultOf(rig.sending.registerSendingDomainWebhooks(otherOwner, { domainId })),
      ]),
    )
    expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1)
    expect(faults[0]).toMatchObject({ code: 'not_found' })
  })
})

test('if the gates cannot be read, no sender is activated', async () => {
  const ctx = rig.owner()
  const senderId = await rig.sender(ctx, await rig.readyDomain(ctx))
  const activation = rig.sending.activateSenderIdentity(ctx, { senderId, confirmation: 'ACTIVATE PRODUCTION SENDING' })
  expect(await faultOf(activation)).toMatchObject({ code: 'unavailable' })
  expect(await rig.sending.getSenderReadiness(ctx, { senderIdentityId: senderId })).toMatchObject({ isEnabled: false })
})
