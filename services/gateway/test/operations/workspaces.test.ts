// This file has over 300 lines because its tests share one started service.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { until } from '@lettergate/stage'
import { seed } from '../../src/seed.ts'
import { signIn } from '../console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from '../gateway-stage.ts'
import { withoutDatabase } from '../neighbours.ts'
import { readySender } from '../people-and-senders.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
})
afterAll(() => gateway.close())

const workspaceId = async (slug: string) =>
  (await gateway.stage.query<{ id: string }>('select id from identity.workspaces where slug = $1', [slug]))[0]!.id

describe('GetMe, ListWorkspaces and GetWorkspace', () => {
  test('list exactly the workspaces of which the caller is a member', async () => {
    const { json } = await gateway.call('GET', '/api/v1/workspaces', { as: 'outsider' })
    expect(json).toEqual({
      workspaces: [
        {
          organization: 'globex',
          workspace: 'main',
          name: 'Globex',
          role: 'owner',
          is_archived: false,
          production_sending_enabled: false,
        },
      ],
    })
    expect((await gateway.call('GET', '/api/v1/workspaces', { as: 'platform' })).json).toEqual({ workspaces: [] })
    expect((await gateway.call('GET', '/api/v1/me', { as: 'agent' })).json).toMatchObject({
      user: { identity_type: 'agent' },
    })
  })

  test('a workspace without a membership is 404, for any role of the caller in other workspaces', async () => {
    for (const as of ['outsider', 'platform']) expect((await gateway.call('GET', newsletter, { as })).status).toBe(404)
    expect(
      (await gateway.call('GET', '/api/v1/organizations/globex/workspaces/newsletter', { as: 'owner' })).status,
    ).toBe(404)
  })

  test('a gRPC call does not trust the role in its metadata and reads the membership', async () => {
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    const caller = gateway.stage.caller({
      workspaceId: await workspaceId('newsletter'),
      actor: 'outsider',
      role: 'owner',
    })
    await expect(identity.getWorkspace(caller, {})).rejects.toMatchObject({ code: 'not_found' })
    expect(
      await identity.listWorkspaces(gateway.stage.caller({ workspaceId: null, actor: 'nobody' }), {}),
    ).toMatchObject({ workspaces: [] })
    const editor = gateway.stage.caller({ workspaceId: caller.caller.workspaceId, actor: 'editor', role: 'editor' })
    const words = { confirmation: 'ACTIVATE PRODUCTION SENDING', quotaReviewed: true }
    await expect(identity.activateWorkspaceSending(editor, words)).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(
      identity.getMe(gateway.stage.caller({ workspaceId: null, actor: 'nobody' }), {}),
    ).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(
      identity.setPlatformGate(gateway.stage.caller({ workspaceId: null }), {
        name: 'automation_enabled',
        enabled: false,
      }),
    ).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(identity.listPlatformGates(gateway.stage.caller({ workspaceId: null }), {})).rejects.toMatchObject({
      code: 'permission_denied',
    })
  })
})

describe('GetWorkspaceFacts', () => {
  test('answers any service, and an unknown or invalid id is not found', async () => {
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    const caller = gateway.stage.caller({ workspaceId: null })
    const id = await workspaceId('synthetic-lab')
    expect(await identity.getWorkspaceFacts(caller, { workspaceId: id })).toMatchObject({
      workspaceId: id,
      organization: 'acme',
      workspace: 'synthetic-lab',
      name: 'Acme Synthetic Lab',
      isArchived: true,
      productionSendingEnabled: false,
    })
    for (const unknown of ['no-id', '', '0190a3a0-0000-7000-8000-000000000000']) {
      await expect(identity.getWorkspaceFacts(caller, { workspaceId: unknown })).rejects.toMatchObject({
        code: 'not_found',
      })
    }
  })
})

describe('ActivateWorkspaceSending', () => {
  const path = `${newsletter}/activate-sending`
  const body = { confirmation: 'ACTIVATE PRODUCTION SENDING', quota_reviewed: true }
  const activate = (over: object = {}, as = 'wsowner') => gateway.call('POST', path, { as, body: { ...body, ...over } })

  test('needs the exact confirmation and a reviewed quota', async () => {
    for (const over of [
      { confirmation: 'activate production sending' },
      { confirmation: 'ACTIVATE PRODUCTION SENDING ' },
      { quota_reviewed: false },
      { quota_reviewed: 'true' },
    ]) {
      const { status, text } = await activate(over)
      expect(status).toBe(422)
      expect(text).toContain(Object.keys(over)[0])
    }
  })

  test('needs a sender on a ready domain, and says so', async () => {
    const { status, text } = await activate()
    expect(status).toBe(422)
    expect(text).toContain('no sender on a ready domain')
    await readySender(gateway, newsletter)
    const other = await gateway.call('POST', path.replace('newsletter', 'product'), { as: 'owner', body })
    expect(other.text).toContain('no sender on a ready domain') // the sender of another workspace does not count
  })

  test('needs the production gate, and says whether its switch or the environment holds it closed', async () => {
    const { status, text } = await activate()
    expect(status).toBe(422)
    expect(text).toContain('production_sending_enabled is closed')
    const set = (stored: boolean) =>
      gateway.stage.query(`update identity.platform_gates set stored = $1 where name = 'production_sending_enabled'`, [
        stored,
      ])
    await set(true)
    const below = await gateway.replica({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'false' })
    const refused = await below.call('POST', path, { as: 'wsowner', body })
    await set(false)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('does not set ALLOW_PRODUCTION_SENDING_ACTIVATION')
  })

  test('is refused while sending-infra cannot answer', async () => {
    const owner = await signIn(gateway, 'owner')
    await owner.call('PUT', '/console/api/platform/gates/production_sending_enabled', { body: { enabled: true } })
    await withoutDatabase(gateway.stage, 'sending', async () => {
      expect((await activate()).status).toBe(503)
    })
    const [row] = await gateway.stage.query(
      'select production_sending_enabled from identity.workspaces where id = $1',
      [await workspaceId('newsletter')],
    )
    expect(row).toEqual({ production_sending_enabled: false })
  })

  test('turns sending on once, is announced to every service and audited, and a repeat is harmless', async () => {
    const id = await workspaceId('newsletter')
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { status, json } = await activate()
      expect(status).toBe(200)
      expect(json).toEqual({ workspace: { id, production_sending_enabled: true } })
    }
    expect((await gateway.call('GET', newsletter, { as: 'analyst' })).json).toMatchObject({
      production_sending_enabled: true,
    })
    const announced = await gateway.stage.query(
      `select 1 from identity.outbox where event = 'workspace_changed' and workspace_id = $1`,
      [id],
    )
    expect(announced).toHaveLength(2) // at seeding, and now
    await until(
      async () =>
        (
          await gateway.stage.query(
            `select 1 from identity.audit_log where action = 'workspace_sending_activated' and workspace_id = $1 and actor = 'wsowner'`,
            [id],
          )
        ).length === 1,
    )
  })
})

describe('TurnWorkspaceSendingOff', () => {
  test('turns sending off and announces it once, and a missing workspace is not found', async () => {
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    const id = await workspaceId('product')
    await gateway.stage.query('update identity.workspaces set production_sending_enabled = true where id = $1', [id])
    const told = async () =>
      (
        await gateway.stage.query(
          `select 1 from identity.outbox where event = 'workspace_changed' and workspace_id = $1`,
          [id],
        )
      ).length
    const before = await told()
    const caller = gateway.stage.caller({ workspaceId: id, actor: 'admin', role: 'brand_admin' })
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await identity.turnWorkspaceSendingOff(caller, {})).toMatchObject({
        workspace: { id, productionSendingEnabled: false },
      })
    }
    expect(await told()).toBe(before + 1)
    for (const nowhere of [null, '0190a3a0-0000-7000-8000-000000000000']) {
      await expect(
        identity.turnWorkspaceSendingOff(gateway.stage.caller({ workspaceId: nowhere }), {}),
      ).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

const exec = promisify(execFile)

describe('creating a workspace on the command line', () => {
  const program = new URL('../../src/create-workspace.ts', import.meta.url).pathname
  const given = { organization: 'initech', 'organization-name': 'Initech', workspace: 'news', 'workspace-name': 'News' }
  /** The gateway of this process goes on meanwhile. */
  const create = async (options: Record<string, string>) => {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    const env = { DATABASE_URL: gateway.stage.databaseUrl('identity') }
    try {
      return { status: 0, ...(await exec(process.execPath, ['--no-warnings', program, ...args], { env })) }
    } catch (error) {
      const { code: status, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { status, stdout, stderr }
    }
  }

  /** This many entries that the program made about these subjects, in the audit log. */
  const audited = (count: number, subjects: readonly string[]) =>
    until(async () => {
      const found = await gateway.stage.query(
        `select action, subject_id, workspace_id, detail from identity.audit_log
          where actor = 'system:create-workspace' and actor_kind = 'system' and subject_id = any($1) order by action`,
        [subjects],
      )
      return found.length >= count && found
    })

  test('makes it with its owner, once, and tells every service', async () => {
    for (const _ of ['first', 'again']) {
      const { status, stdout } = await create({ ...given, owner: 'outsider' })
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'initech/news exists, with the owner outsider\n' })
    }
    const { json } = await gateway.call('GET', '/api/v1/workspaces', { as: 'outsider' })
    expect((json as { workspaces: object[] }).workspaces).toContainEqual({
      organization: 'initech',
      workspace: 'news',
      name: 'News',
      role: 'owner',
      is_archived: false,
      production_sending_enabled: false,
    })
    const path = '/api/v1/organizations/initech/workspaces/news'
    expect((await gateway.call('GET', path, { as: 'owner' })).status).toBe(404)
    const id = await workspaceId('news')
    const announced = "select from identity.outbox where event = 'workspace_changed' and workspace_id = $1"
    expect(await gateway.stage.query(announced, [id])).toHaveLength(2)
    const published = `select from identity.outbox where event = 'audit_recorded' and position($1::bytea in payload) > 0`
    expect(await gateway.stage.query(published, [Buffer.from('system:create-workspace')])).toHaveLength(3)
    expect(await audited(3, ['initech', id, 'outsider'])).toEqual([
      { action: 'operator_added', subject_id: 'outsider', workspace_id: id, detail: { role: 'owner' } },
      { action: 'organization_created', subject_id: 'initech', workspace_id: id, detail: { name: 'Initech' } },
      {
        action: 'workspace_created',
        subject_id: id,
        workspace_id: id,
        detail: { organization: 'initech', workspace: 'news', name: 'News' },
      },
    ])
  })

  test('makes a new owner an owner of the platform, and raises no user that exists', async () => {
    await create({ ...given, owner: 'outsider' })
    await create({ ...given, owner: 'u-first' })
    const select = 'select wallet_user_id, platform_role from identity.users where wallet_user_id = any($1) order by 1'
    expect(await gateway.stage.query(select, [['outsider', 'u-first']])).toEqual([
      { wallet_user_id: 'outsider', platform_role: null },
      { wallet_user_id: 'u-first', platform_role: 'owner' },
    ])
    const id = await workspaceId('news')
    expect(await audited(2, ['u-first'])).toEqual([
      { action: 'operator_added', subject_id: 'u-first', workspace_id: id, detail: { role: 'owner' } },
      { action: 'platform_role_set', subject_id: 'u-first', workspace_id: null, detail: { platform_role: 'owner' } },
    ])
  })

  test.each([
    ['organization', 'Initech Inc'],
    ['workspace', ''],
    ['owner', ''],
  ])('refuses a wrong %s by its name', async (field, value) => {
    const { status, stderr } = await create({ ...given, owner: 'u-2', [field]: value })
    expect(status).toBe(1)
    expect(stderr).toContain(field)
    expect(stderr).not.toContain('    at ')
  })
})

test('seeding again changes nothing and announces each workspace again', async () => {
  const count = async () =>
    (
      await gateway.stage.query<Record<string, number>>(
        `select (select count(*)::int from identity.users) as users, (select count(*)::int from identity.memberships) as memberships,
              (select count(*)::int from identity.workspaces) as workspaces, (select count(*)::int from identity.outbox where event = 'workspace_changed') as announced`,
      )
    )[0]!
  const before = await count()
  await seed(gateway.stage.databaseUrl('identity'))
  expect(await count()).toEqual({ ...before, announced: before['announced']! + 4 })
})
