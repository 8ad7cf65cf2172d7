import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'
import { loadConfig } from '../../src/config.ts'
import { bootGateway } from '../gated-stage.ts'
import { faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

const owners = 'MAILPROVIDER_ACME_KEY=acme,MAILPROVIDER_ACME_SIGNING=acme,MAILPROVIDER_SHARED_KEY=*'
const keys = {
  MAILPROVIDER_ACME_KEY: 'dev-api-key',
  MAILPROVIDER_ACME_SIGNING: 'dev-webhook-signing-key',
  MAILPROVIDER_SHARED_KEY: 'dev-api-key',
}

let rig: SendingStage
/** the same service with the rule; `rig.sending` has no rule */
let ruled: Client<typeof SendingInfra>
beforeAll(async () => {
  rig = await sendingStage({
    schemas: [identitySchema],
    identityTarget: async (stage) => `127.0.0.1:${await bootGateway(stage, {})}`,
    env: keys,
  })
  ruled = await rig.replica({ PROVIDER_KEY_OWNERS: owners })
})
afterAll(() => rig.close())

/** An owner in a workspace of the organization, registered at the identity service. */
async function owner(organization: string) {
  const ctx = rig.owner(organization)
  const id = randomUUID()
  await rig.stage.query(
    `with one as (insert into identity.organizations (id, slug, name) values ($1, $2, $2) on conflict (slug) do update set name = excluded.name returning id)
     insert into identity.workspaces (id, organization_id, slug, name) select $3, id, $4, 'W' from one`,
    [id, organization, ctx.workspaceId, `w-${ctx.workspaceId.slice(0, 8)}`],
  )
  return ctx
}

/** A call of another service for the same workspace, without an organization. */
const byService = (ctx: CallScope & { workspaceId: string }) =>
  rig.stage.caller({ workspaceId: ctx.workspaceId, organization: null, role: null, actor: 'system:test' })

const create = (ctx: CallScope, key: string, signing?: string) =>
  ruled.createProviderConnection(ctx, {
    name: 'main',
    credentialEnvKey: key,
    ...(signing === undefined ? {} : { webhookSigningEnvKey: signing }),
  })

describe('naming a key', () => {
  test('is allowed for the listed organizations, or for all with *', async () => {
    await create(await owner('acme'), 'MAILPROVIDER_ACME_KEY', 'MAILPROVIDER_ACME_SIGNING')
    await create(await owner('globex'), 'MAILPROVIDER_SHARED_KEY')
  })

  test('of another organization is refused with the field, at creation and change, with the same message as for an unlisted key', async () => {
    const globex = await owner('globex')
    const { providerConnection } = await create(globex, 'MAILPROVIDER_SHARED_KEY')
    const change = (field: 'credentialEnvKey' | 'webhookSigningEnvKey', key: string) =>
      ruled.updateProviderConnection(globex, {
        connectionId: providerConnection!.id,
        [field]: key,
        updateMask: { paths: [field === 'credentialEnvKey' ? 'credential_env_key' : 'webhook_signing_env_key'] },
      })
    for (const [ask, field] of [
      [(key: string) => create(globex, key), 'credential_env_key'],
      [(key: string) => create(globex, 'MAILPROVIDER_SHARED_KEY', key), 'webhook_signing_env_key'],
      [(key: string) => change('credentialEnvKey', key), 'credential_env_key'],
      [(key: string) => change('webhookSigningEnvKey', key), 'webhook_signing_env_key'],
    ] as const) {
      const theirs = await faultOf(ask('MAILPROVIDER_ACME_KEY'))
      expect(theirs).toMatchObject({ code: 'invalid_argument', reason: field })
      expect(theirs.message).not.toMatch(/acme/i)
      expect(await faultOf(ask('MAILPROVIDER_NEVER_SET'))).toEqual(theirs)
    }
    expect(
      (
        await ruled.updateProviderConnection(globex, {
          connectionId: providerConnection!.id,
          name: 'renamed',
          updateMask: { paths: ['name'] },
        })
      ).providerConnection,
    ).toMatchObject({ name: 'renamed' })
  })

  test('is allowed for every organization without a rule', async () => {
    const { providerConnection } = await rig.sending.createProviderConnection(await owner('globex'), {
      name: 'main',
      credentialEnvKey: 'MAILPROVIDER_ACME_KEY',
    })
    expect(providerConnection).toMatchObject({ credentialEnvKey: 'MAILPROVIDER_ACME_KEY' })
  })
})

describe('a connection from before the rule that names another organization’s key', () => {
  let globex: Awaited<ReturnType<typeof owner>>
  let connectionId: string
  let senderId: string
  let domainId: string
  beforeAll(async () => {
    globex = await owner('globex')
    const name = `d${randomUUID().slice(0, 8)}.globex.test`
    await rig.sim('PUT', `/domains/${name}`, {})
    connectionId = await rig.connection(globex, { credentialEnvKey: 'MAILPROVIDER_ACME_KEY' })
    await rig.sending.updateProviderConnection(globex, {
      connectionId,
      webhookSigningEnvKey: 'MAILPROVIDER_ACME_SIGNING',
      updateMask: { paths: ['webhook_signing_env_key'] },
    })
    const { sendingDomain } = await rig.sending.createSendingDomain(globex, { domainName: name })
    domainId = sendingDomain!.id
    senderId = await rig.sender(globex, { id: domainId, name })
  })

  test('gives a hand-off no key and is shown as failed, also to a service', async () => {
    const request = { senderIdentityId: senderId }
    expect(await rig.sending.getSenderReadiness(globex, request)).toMatchObject({
      credentialEnvKey: 'MAILPROVIDER_ACME_KEY',
      connectionIsActive: true,
    })
    for (const caller of [globex, byService(globex)]) {
      const readiness = await ruled.getSenderReadiness(caller, request)
      expect(readiness).toMatchObject({ credentialEnvKey: '', connectionIsActive: false, connectionState: 'failed' })
      expect(readiness.webhookSigningEnvKey).toBeUndefined()
    }
  })

  test('accepts no webhook', async () => {
    const system = rig.stage.caller({ workspaceId: null, organization: null, role: null })
    expect((await rig.sending.resolveProviderConnection(system, { connectionId })).webhookSigningEnvKey).toBe(
      'MAILPROVIDER_ACME_SIGNING',
    )
    const found = await ruled.resolveProviderConnection(system, { connectionId })
    expect([found.workspaceId, found.webhookSigningEnvKey]).toEqual([globex.workspaceId, undefined])
  })

  test('explains why it cannot be used: in the list, at its check and activation, and at every call to the provider', async () => {
    const reason = 'The organization may not use the environment key'
    const shown = async () =>
      (await ruled.listProviderConnections(globex, {})).providerConnections.find(({ id }) => id === connectionId)
    expect(await shown()).toMatchObject({
      connectionState: 'failed',
      isActive: false,
      checkDetail: expect.stringContaining(reason),
    })
    const { check } = await ruled.checkProviderConnection(globex, { connectionId })
    expect(check).toMatchObject({ ok: false, detail: expect.stringContaining(reason) })
    const refused = { code: 'failed_precondition', reason: 'provider_credential_not_allowed' }
    const activate = { connectionId, confirmation: 'ENABLE TEST CONNECTION' }
    expect(await faultOf(ruled.activateProviderConnection(globex, activate))).toMatchObject(refused)
    expect(await faultOf(ruled.verifySendingDomain(globex, { domainId }))).toMatchObject(refused)
    expect(await faultOf(ruled.registerSendingDomainWebhooks(globex, { domainId }))).toMatchObject(refused)
    expect(
      await faultOf(
        ruled.createSendingDomain(globex, { domainName: 'other.globex.test', providerConnectionId: connectionId }),
      ),
    ).toMatchObject(refused)
  })
})

test('an invalid rule stops the start, and the message names the variable', () => {
  const env = {
    IDENTITY_TARGET: 'x:1',
    BASE_URL: 'https://lettergate.test',
    MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9',
    MAILPROVIDER_EU_BASE_URL: 'http://127.0.0.1:9',
    DATABASE_URL: 'postgres://127.0.0.1/x',
    NATS_URL: 'nats://127.0.0.1',
  }
  expect(loadConfig(env).keyOwners).toBeNull()
  expect(() => loadConfig({ ...env, PROVIDER_KEY_OWNERS: 'MAILPROVIDER_A' })).toThrow('PROVIDER_KEY_OWNERS must be')
})
