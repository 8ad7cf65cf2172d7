import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { fromBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import pg from 'pg'
import { credential, faultOf, sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage()))
afterAll(() => rig.close())

const create = (ctx = rig.owner(), credentialEnvKey = 'MAILPROVIDER_API_KEY', more: object = {}) =>
  rig.sending.createProviderConnection(ctx, { name: 'main', credentialEnvKey, ...more })
const unknown = '01890000-0000-7000-8000-000000000000'

describe('creating a connection', () => {
  test('it is unchecked and inactive, and shows only the names of credentials', async () => {
    const { providerConnection } = await create(rig.owner(), 'MAILGUN_EU_KEY', {
      region: 'eu',
      webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
    })
    expect(providerConnection).toMatchObject({
      name: 'main',
      provider: 'mailprovider',
      region: 'eu',
      credentialEnvKey: 'MAILGUN_EU_KEY',
      webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
      connectionState: 'unchecked',
      isActive: false,
      credentialValueExposed: false,
    })
  })

  test('the default region is us, and a signing key can be set later', async () => {
    const { providerConnection } = await create()
    expect(providerConnection!.region).toBe('us')
    expect(providerConnection!.webhookSigningEnvKey).toBeUndefined()
  })

  test.each([
    ['credential_env_key', { credentialEnvKey: 'DATABASE_URL' }],
    ['credential_env_key', { credentialEnvKey: 'mailprovider_api_key' }],
    ['webhook_signing_env_key', { webhookSigningEnvKey: 'NATS_URL' }],
    ['region', { region: 'asia' }],
    ['name', { name: '   ' }],
    ['name', { name: 'x'.repeat(161) }],
    ['name', { name: 'two\nlines' }],
  ])('a wrong %s is refused naming the field: %j', async (field, more) => {
    expect(await faultOf(create(rig.owner(), 'MAILPROVIDER_API_KEY', more))).toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })

  test('it is in the audit log with its actor, without a secret value', async () => {
    const ctx = rig.owner()
    const { providerConnection } = await create(ctx)
    const [row] = await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'audit_recorded' and workspace_id = $1`,
      [ctx.workspaceId],
    )
    expect(fromBinary(AuditRecordedSchema, row!.payload)).toMatchObject({
      action: 'provider_connection_created',
      subjectId: providerConnection!.id,
      actor: 'tester',
      detail: { region: 'us', credential_env_key: 'MAILPROVIDER_API_KEY' },
    })
  })
})

describe('checking a connection', () => {
  const check = async (credentialEnvKey: string, more: object = {}) => {
    const ctx = rig.owner()
    const { providerConnection } = await create(ctx, credentialEnvKey, more)
    return rig.sending.checkProviderConnection(ctx, { connectionId: providerConnection!.id })
  }

  test('a credential that the provider accepts makes the connection verified', async () => {
    const before = rig.stage.clock.now()
    const { providerConnection, check: found } = await check('MAILPROVIDER_API_KEY')
    expect(found).toMatchObject({ ok: true })
    expect(timestampDate(found!.checkedAt!).getTime()).toBeGreaterThanOrEqual(before.getTime() - 1)
    expect(providerConnection).toMatchObject({ connectionState: 'verified', isActive: false })
  })

  test.each<[string, string, object, RegExp]>([
    ['a refused credential', 'MAILPROVIDER_WRONG_KEY', {}, /refused the credential/],
    ['a missing credential', 'MAILPROVIDER_MISSING_KEY', {}, /holds no credential/],
    ['an unreachable provider', 'MAILPROVIDER_API_KEY', { region: 'eu' }, /could not be reached/],
  ])('%s is an answer, told apart', async (_, key, more, detail) => {
    const { providerConnection, check: found } = await check(key, more)
    expect(found).toMatchObject({ ok: false, detail: expect.stringMatching(detail) })
    expect(providerConnection!.connectionState).toBe('failed')
  })

  test('it does not reveal whether other settings of the service exist, and never sends them', async () => {
    const { calls } = await rig.sim('GET', '/stats')
    const existing = await check('MAILPROVIDER_US_BASE_URL')
    const absent = await check('MAILPROVIDER_NO_SUCH_SETTING')
    expect(existing.check!.detail).toBe(absent.check!.detail)
    expect((await rig.sim('GET', '/stats'))['calls']).toBe(calls)
  })

  test.each(['rate_limit', 'server_error', 'timeout', 'truncated'])(
    'a provider in trouble (%s) fails the check and nothing else',
    async (mode) => {
      await rig.sim('PUT', '/faults', { mode })
      try {
        expect((await check('MAILPROVIDER_API_KEY')).check!.ok).toBe(false)
      } finally {
        await rig.sim('PUT', '/faults', { mode: 'none' })
      }
      expect((await check('MAILPROVIDER_API_KEY')).check!.ok).toBe(true)
    },
  )

  test('the value of a credential is in no row and in no answer', async () => {
    const answers = [await check('MAILPROVIDER_API_KEY'), await check('MAILPROVIDER_WRONG_KEY')]
    expect(
      JSON.stringify(answers, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(/dev-api-key|no-such-key/)
    for (const table of ['provider_connections', 'sending_domains', 'domain_checks', 'sender_identities', 'outbox']) {
      const rows = await rig.stage.query(`select id from sending.${table} t where t::text like '%' || $1 || '%'`, [
        credential,
      ])
      expect(rows).toEqual([])
    }
    const payloads = await rig.stage.query<{ payload: Buffer }>('select payload from sending.outbox')
    expect(payloads.filter(({ payload }) => payload.includes(credential))).toEqual([])
  })
})

describe('activating a connection', () => {
  test('a verified connection becomes active, and a repeat is harmless', async () => {
    const ctx = rig.owner()
    const connectionId = await rig.connection(ctx)
    const again = await rig.sending.activateProviderConnection(ctx, {
      connectionId,
      confirmation: 'ENABLE TEST CONNECTION',
    })
    expect(again.providerConnection).toMatchObject({ id: connectionId, isActive: true, connectionState: 'verified' })
    const rows = await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'audit_recorded' and workspace_id = $1`,
      [ctx.workspaceId],
    )
    const actions = rows.map(({ payload }) => fromBinary(AuditRecordedSchema, payload).action)
    expect(actions.filter((action) => action === 'provider_connection_activated')).toHaveLength(1)
  })

  test.each(['', 'enable test connection', 'ENABLE TEST CONNECTION ', 'ACTIVATE PRODUCTION SENDING'])(
    'only the exact confirmation counts, not %j',
    async (confirmation) => {
      const ctx = rig.owner()
      const { providerConnection } = await create(ctx)
      expect(
        await faultOf(
          rig.sending.activateProviderConnection(ctx, { connectionId: providerConnection!.id, confirmation }),
        ),
      ).toMatchObject({
        code: 'invalid_argument',
        reason: 'confirmation',
      })
    },
  )

  test('an unchecked or failed connection stays inactive', async () => {
    const ctx = rig.owner()
    const { providerConnection } = await create(ctx, 'MAILPROVIDER_WRONG_KEY')
    const connectionId = providerConnection!.id
    const activate = () =>
      faultOf(rig.sending.activateProviderConnection(ctx, { connectionId, confirmation: 'ENABLE TEST CONNECTION' }))
    expect(await activate()).toMatchObject({ code: 'failed_precondition', reason: 'connection_state' })
    await rig.sending.checkProviderConnection(ctx, { connectionId })
    expect(await activate()).toMatchObject({ code: 'failed_precondition', reason: 'connection_state' })
  })
})

describe('isolation', () => {
  test("another workspace's connection, an unknown id and an invalid id give the same not_found", async () => {
    const connectionId = await rig.connection(rig.owner())
    const otherOwner = rig.owner()
    const faults = await Promise.all(
      [connectionId, unknown, 'not-an-id', "'; drop table provider_connections; --"].flatMap((id) => [
        faultOf(rig.sending.checkProviderConnection(otherOwner, { connectionId: id })),
        faultOf(
          rig.sending.activateProviderConnection(otherOwner, {
            connectionId: id,
            confirmation: 'ENABLE TEST CONNECTION',
          }),
        ),
      ]),
    )
    expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(1)
    expect(faults[0]).toMatchObject({ code: 'not_found' })
  })

  test('the workspace of a webhook URL is found across workspaces, also for inactive connections', async () => {
    const ctx = rig.owner()
    const { providerConnection } = await create(ctx, 'MAILPROVIDER_API_KEY', {
      webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
    })
    const provider = rig.stage.caller({ workspaceId: null, actor: 'provider', actorKind: 'provider', role: null })
    const found = await rig.sending.resolveProviderConnection(provider, { connectionId: providerConnection!.id })
    expect(found).toMatchObject({
      workspaceId: ctx.workspaceId,
      webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
    })
    for (const connectionId of [unknown, 'x', '']) {
      expect(await faultOf(rig.sending.resolveProviderConnection(provider, { connectionId }))).toMatchObject({
        code: 'not_found',
      })
    }
  })

  test('row-level security hides other workspaces from the role itself', async () => {
    const ctx = rig.owner()
    await rig.connection(ctx)
    const client = new pg.Client({ connectionString: rig.stage.databaseUrl('sending') })
    await client.connect()
    try {
      const count = async () =>
        Number(
          (await client.query<{ count: string }>('select count(*) from sending.provider_connections')).rows[0]!.count,
        )
      expect(await count()).toBe(0)
      await client.query(`select set_config('app.workspace_id', $1, false)`, [ctx.workspaceId])
      expect(await count()).toBe(1)
    } finally {
      await client.end()
    }
  })
})
