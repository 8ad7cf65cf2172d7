import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AuditRecordedSchema, DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { baseUrl, credential, faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

const unknown = '01890000-0000-7000-8000-000000000000'
type Owner = ReturnType<SendingStage['owner']>
const update = async (ctx: Owner, connectionId: string, more: object) =>
  (await rig.sending.updateProviderConnection(ctx, { connectionId, ...more })).providerConnection!
const actionsOf = async (ctx: Owner) =>
  (
    await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'audit_recorded' and workspace_id = $1 order by id`,
      [ctx.workspaceId],
    )
  ).map(({ payload }) => fromBinary(AuditRecordedSchema, payload).action)

describe('editing a connection', () => {
  test('changing the name or the signing key changes nothing else, null clears the signing key, and a repeat is harmless', async () => {
    const ctx = rig.owner()
    const id = await rig.connection(ctx)
    for (let time = 1; time <= 2; time += 1)
      expect(
        await update(ctx, id, { name: ' Main account ', webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY' }),
      ).toMatchObject({
        name: 'Main account',
        webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
        connectionState: 'verified',
        isActive: true,
        credentialValueExposed: false,
      })
    const cleared = await update(ctx, id, { updateMask: { paths: ['webhook_signing_env_key'] } })
    expect(cleared).toMatchObject({ name: 'Main account', isActive: true })
    expect(cleared.webhookSigningEnvKey).toBeUndefined()
    expect(await update(ctx, id, {})).toEqual(cleared)
    expect((await actionsOf(ctx)).filter((action) => action === 'provider_connection_updated')).toHaveLength(2)
  })

  test.each([
    ['credential_env_key', { credentialEnvKey: 'MAILPROVIDER_WRONG_KEY' }],
    ['region', { region: 'eu' }],
  ])('another %s is another account: unchecked and inactive', async (_, more) => {
    const ctx = rig.owner()
    const id = await rig.connection(ctx)
    expect(await update(ctx, id, more)).toMatchObject({ ...more, connectionState: 'unchecked', isActive: false })
    const activation = rig.sending.activateProviderConnection(ctx, {
      connectionId: id,
      confirmation: 'ENABLE TEST CONNECTION',
    })
    expect(await faultOf(activation)).toMatchObject({ code: 'failed_precondition', reason: 'connection_state' })
  })

  test('delivery is told at once that the domains of a connection may not send', async () => {
    const ctx = rig.owner()
    const { id: domainId, connectionId } = await rig.domain(ctx)
    const announced = async () =>
      (
        await rig.stage.query<{ payload: Buffer }>(
          `select payload from sending.outbox where event = 'domain_checked' and workspace_id = $1 order by id`,
          [ctx.workspaceId],
        )
      ).map(({ payload }) => fromBinary(DomainCheckedSchema, payload))
    await update(ctx, connectionId, { name: 'Renamed' })
    const before = (await announced()).length
    await update(ctx, connectionId, { credentialEnvKey: 'MAILPROVIDER_WRONG_KEY' })
    expect((await announced()).slice(before)).toMatchObject([{ sendingDomainId: domainId, isReady: false }])
    expect((await rig.sending.checkProviderConnection(ctx, { connectionId })).check).toMatchObject({ ok: false })
    expect((await announced()).slice(before + 1)).toMatchObject([{ sendingDomainId: domainId, isReady: false }])
  })

  test('setting the same credential and region resets nothing', async () => {
    const ctx = rig.owner()
    const id = await rig.connection(ctx)
    expect(await update(ctx, id, { credentialEnvKey: 'MAILPROVIDER_API_KEY', region: 'us' })).toMatchObject({
      connectionState: 'verified',
      isActive: true,
    })
  })

  test('its domains may not send until they are checked through the new account, and the activation schedules this check', async () => {
    const ctx = rig.owner()
    const { id: domainId, connectionId } = await rig.readyDomain(ctx)
    const senderIdentityId = await rig.sender(ctx, { id: domainId, name: (await readDomain(ctx, domainId)).domainName })
    const readiness = () => rig.sending.getSenderReadiness(ctx, { senderIdentityId })
    expect(await readiness()).toMatchObject({ connectionIsActive: true, domainCheckIsCurrent: true })
    await update(ctx, connectionId, { credentialEnvKey: 'MAILPROVIDER_OTHER_KEY' })
    expect(await readiness()).toMatchObject({ connectionIsActive: false, domainCheckIsCurrent: false })
    await update(ctx, connectionId, { credentialEnvKey: 'MAILPROVIDER_API_KEY' })
    await rig.sending.checkProviderConnection(ctx, { connectionId })
    await rig.sending.activateProviderConnection(ctx, { connectionId, confirmation: 'ENABLE TEST CONNECTION' })
    await until(async () => (await readiness()).domainCheckIsCurrent, { what: 'a new check' })
    expect(await readiness()).toMatchObject({ connectionIsActive: true, domainIsReady: true })
  })

  test('a check in progress during a change of the account sets no state', async () => {
    const ctx = rig.owner()
    const { id: domainId, connectionId } = await rig.readyDomain(ctx)
    await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 500 })
    const begun = rig.sending.verifySendingDomain(ctx, { domainId })
    await until(
      async () =>
        (
          await rig.stage.query(
            'select 1 from sending.sending_domains where id = $1 and checks_begun > check_applied',
            [domainId],
          )
        ).length > 0,
    )
    await update(ctx, connectionId, { region: 'eu' })
    await rig.sim('PUT', '/faults', { mode: 'none' })
    await begun
    expect((await readDomain(ctx, domainId)).checkIsCurrent).toBe(false)
  })

  test.each([
    ['name', { name: ' ' }],
    ['name', { name: undefined, updateMask: { paths: ['name'] } }],
    ['credential_env_key', { credentialEnvKey: 'DATABASE_URL' }],
    ['credential_env_key', { updateMask: { paths: ['credential_env_key'] } }],
    ['webhook_signing_env_key', { webhookSigningEnvKey: 'mailgun_key' }],
    ['region', { region: 'https://evil.test' }],
    ['region', { region: '' }],
  ])('a wrong %s is refused naming the field, and changes nothing: %j', async (field, more) => {
    const ctx = rig.owner()
    const id = await rig.connection(ctx)
    expect(await faultOf(update(ctx, id, { name: 'other', ...more }))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
    expect((await rig.sending.listProviderConnections(ctx, {})).providerConnections[0]).toMatchObject({ name: 'main' })
  })
})

const readDomain = async (ctx: Owner, domainId: string) =>
  (await rig.sending.getSendingDomain(ctx, { domainId })).sendingDomain!

describe('deleting a connection', () => {
  test('an unused connection is deleted, and then answers not_found', async () => {
    const ctx = rig.owner()
    const connectionId = await rig.connection(ctx)
    expect(await rig.sending.deleteProviderConnection(ctx, { connectionId })).toMatchObject({ deleted: true })
    expect(await faultOf(rig.sending.deleteProviderConnection(ctx, { connectionId }))).toMatchObject({
      code: 'not_found',
    })
    expect(await actionsOf(ctx)).toContain('provider_connection_deleted')
    const provider = rig.stage.caller({ workspaceId: null, actor: 'provider', actorKind: 'provider', role: null })
    expect(await faultOf(rig.sending.resolveProviderConnection(provider, { connectionId }))).toMatchObject({
      code: 'not_found',
    })
  })

  test('a connection in use is not deleted, and the refusal names the domain', async () => {
    const ctx = rig.owner()
    const { id, name, connectionId } = await rig.domain(ctx)
    const refused = await faultOf(rig.sending.deleteProviderConnection(ctx, { connectionId }))
    expect(refused).toMatchObject({ code: 'failed_precondition', reason: 'connection_in_use' })
    expect(refused.message).toContain(name)
    await rig.sending.deleteSendingDomain(ctx, { domainId: id })
    expect(await rig.sending.deleteProviderConnection(ctx, { connectionId })).toMatchObject({ deleted: true })
  })

  test('a concurrent deletion of the connection and creation of a domain ends with both or with neither', async () => {
    const ctx = rig.owner()
    const connectionId = await rig.connection(ctx)
    const name = 'raced.acme.test'
    await rig.sim('PUT', `/domains/${name}`, {})
    await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 200 })
    const adding = faultOrDone(rig.sending.createSendingDomain(ctx, { domainName: name }))
    await until(async () => Number((await rig.sim('GET', '/stats'))['calls']) > 0)
    const deleting = faultOrDone(rig.sending.deleteProviderConnection(ctx, { connectionId }))
    const [added, deleted] = await Promise.all([adding, deleting])
    await rig.sim('PUT', '/faults', { mode: 'none' })
    expect(added === 'done').toBe(deleted !== 'done')
    expect(['done', 'provider_connection_id', 'connection_in_use']).toEqual(expect.arrayContaining([added, deleted]))
  })
})

const faultOrDone = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error as { reason: string }).reason,
  )

describe('listing connections', () => {
  test('the list is newest first, with the last check, the webhook URL and the domains, and without credentials', async () => {
    const ctx = rig.owner()
    const { name, connectionId } = await rig.domain(ctx)
    const refused = (
      await rig.sending.createProviderConnection(ctx, { name: 'second', credentialEnvKey: 'MAILPROVIDER_WRONG_KEY' })
    ).providerConnection!.id
    const fresh = (
      await rig.sending.createProviderConnection(ctx, { name: 'third', credentialEnvKey: 'MAILGUN_KEY', region: 'eu' })
    ).providerConnection!.id
    await rig.sending.checkProviderConnection(ctx, { connectionId: refused })
    const { providerConnections } = await rig.sending.listProviderConnections(ctx, {})
    expect(providerConnections.map(({ id }) => id)).toEqual([fresh, refused, connectionId])
    expect(providerConnections).toMatchObject([
      { name: 'third', region: 'eu', connectionState: 'unchecked', domainNames: [] },
      {
        name: 'second',
        connectionState: 'failed',
        checkDetail: expect.stringMatching(/refused the credential/),
        domainNames: [],
      },
      {
        name: 'main',
        isActive: true,
        checkDetail: expect.stringMatching(/accepts the credential/),
        webhookUrl: `${baseUrl}/webhooks/mailprovider/${connectionId}`,
        domainNames: [name],
        credentialValueExposed: false,
      },
    ])
    expect(providerConnections[0]!.checkDetail).toBeUndefined()
    expect(providerConnections.map(({ checkDetail }) => checkDetail).join()).not.toContain(credential)
    expect((await rig.sending.listProviderConnections(rig.owner(), {})).providerConnections).toEqual([])
  })
})

test("another workspace's connection, an unknown id and an invalid id give the same not_found", async () => {
  const connectionId = await rig.connection(rig.owner())
  const otherOwner = rig.owner()
  const faults = await Promise.all(
    [connectionId, unknown, 'not-an-id'].flatMap((id) => [
      faultOf(rig.sending.updateProviderConnection(otherOwner, { connectionId: id, name: 'mine' })),
      faultOf(rig.sending.deleteProviderConnection(otherOwner, { connectionId: id })),
    ]),
  )
  expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1)
  expect(faults[0]).toMatchObject({ code: 'not_found' })
  expect(
    await rig.stage.query('select 1 from sending.provider_connections where id = $1', [connectionId]),
  ).toHaveLength(1)
})
