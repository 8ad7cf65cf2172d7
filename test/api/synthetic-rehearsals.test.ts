import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@lettergate/campaigns-delivery/config'
import { start } from '@lettergate/campaigns-delivery/service'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { until } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import { campaignsServices } from './campaigns-services.ts'

interface Run {
  id: string
  state: string
  report: Record<string, unknown>
  completed_at: string | null
  cleanup_verified: boolean | null
  requested_by_wallet_id: string
}

const urls = { MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9', MAILPROVIDER_EU_BASE_URL: 'http://127.0.0.1:9' }

let gateway: GatewayStage
/** The same platform in a deployment whose environment does not open the ceiling. */
let belowCeiling: Pick<GatewayStage, 'call'>
beforeAll(async () => {
  gateway = await gatewayStage(
    { SYNTHETIC_REHEARSALS_ENABLED: 'true' },
    {
      schemas: campaignsServices.schemas,
      async boot(stage, targets) {
        const env = { ...targets, ...urls, BASE_URL: 'http://127.0.0.1:8080' }
        await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'worker' })
        const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'api' })
        return { CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rpcPort}` }
      },
    },
  )
  const rpcPort = await freePort()
  const targets = {
    ...gateway.targets,
    ...urls,
    BASE_URL: 'http://127.0.0.1:8080',
    IDENTITY_TARGET: `127.0.0.1:${rpcPort}`,
  }
  const api = await gateway.stage.boot('campaigns-delivery', start, loadConfig, { ...targets, ROLE: 'api' })
  belowCeiling = await gateway.replica({
    CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${api.rpcPort}`,
    RPC_PORT: String(rpcPort),
    SYNTHETIC_REHEARSALS_ENABLED: 'false',
  })
})
afterAll(() => gateway.close())

const lab = '/api/v1/organizations/acme/workspaces/synthetic-lab'
const request = (recipients: number, key: string) => ({
  idempotency_key: `rehearsal-${key}`,
  confirmation: `RUN ${recipients} SYNTHETIC REHEARSAL`,
  recipient_count: recipients,
})
const setGate = (isOpen: boolean) =>
  gateway.stage.query(`update identity.platform_gates set stored = $1 where name = 'synthetic_rehearsals_enabled'`, [
    isOpen,
  ])
const create = (body: object, { as = 'owner', workspace = newsletter, of = gateway as typeof belowCeiling } = {}) =>
  of.call('POST', `${workspace}/operations/synthetic-rehearsals`, { as, body })
const read = (id: string, { as = 'analyst', workspace = newsletter } = {}) =>
  gateway.call('GET', `${workspace}/operations/synthetic-rehearsals/${id}`, { as })
const ended = (id: string, options?: { as: string; workspace: string }) =>
  until(
    async () => {
      const run = (await read(id, options)).json['run'] as Run
      return run.completed_at === null ? undefined : run
    },
    { what: 'the rehearsal to end' },
  )

test('a closed gate refuses, by its switch and by the ceiling of the environment', async () => {
  const closed = await create(request(100, 'closed'))
  expect([closed.status, closed.headers.get('x-error-reason')]).toEqual([422, 'synthetic_rehearsals_switch'])
  expect(closed.text).toContain('synthetic_rehearsals_enabled')
  await setGate(true)
  const below = await create(request(100, 'below'), { of: belowCeiling })
  expect([below.status, below.headers.get('x-error-reason')]).toEqual([422, 'synthetic_rehearsals_ceiling'])
  expect(below.text).toContain('SYNTHETIC_REHEARSALS_ENABLED')
  expect(await gateway.stage.query('select from campaigns.synthetic_rehearsals')).toEqual([])
})

test.each([
  ['a wrong confirmation', { confirmation: 'RUN 101 SYNTHETIC REHEARSAL' }],
  ['99 recipients', request(99, '99')],
  ['10,001 recipients', request(10_001, '10001')],
  ['a short key', { idempotency_key: 'short' }],
  ['no key', { idempotency_key: undefined }],
  ['a confirmation that names another number than the 1,000 of no count', { recipient_count: undefined }],
])('%s is 422', async (_, change) => {
  expect((await create({ ...request(100, 'invalid'), ...change })).status).toBe(422)
})

test('it needs the capability and both ownerships', async () => {
  const body = request(100, 'owners')
  const asked = async (as: string) => {
    const { status, headers } = await create(body, { as })
    return [as, status, headers.get('x-error-reason')]
  }
  // an owner of the platform who is not an owner of the workspace
  const role = (name: string) =>
    gateway.stage.query(
      `update identity.memberships m set role = $1 from identity.users u, identity.workspaces w
        where u.id = m.user_id and w.id = m.workspace_id and u.wallet_user_id = 'owner' and w.slug = 'newsletter'`,
      [name],
    )
  await role('brand_admin')
  expect([
    await asked('owner'),
    await asked('wsowner'),
    await asked('admin'),
    await asked('editor'),
    await asked('outsider'),
  ]).toEqual([
    ['owner', 403, 'ownership'],
    ['wsowner', 403, 'ownership'],
    ['admin', 403, 'ownership'],
    ['editor', 403, 'manage_senders'],
    ['outsider', 404, 'not_found'],
  ])
  await role('owner')
})

test('a rehearsal is read by every role until it has ended, and by nobody of another workspace', async () => {
  const body = request(100, 'first')
  const first = await create(body)
  const { created, run } = first.json as unknown as { created: boolean; run: Run }
  expect([first.status, created, run.requested_by_wallet_id]).toEqual([200, true, 'owner'])
  expect(await ended(run.id)).toMatchObject({ state: 'completed', cleanup_verified: true })
  const again = await create(body)
  expect([again.status, again.json['created'], (again.json['run'] as Run).id]).toEqual([200, false, run.id])
  const other = await create({ ...request(101, 'first') })
  expect([other.status, other.headers.get('x-error-reason')]).toEqual([409, 'idempotency_key'])
  expect((await read(run.id, { as: 'owner', workspace: lab })).status).toBe(404)
  expect((await read(run.id, { as: 'outsider' })).status).toBe(404)
  expect((await read('no-id')).status).toBe(404)
})

test('an archived workspace may rehearse, because nothing is sent', async () => {
  const { status, json } = await create(request(100, 'archived'), { workspace: lab })
  expect(status).toBe(200)
  expect(await ended((json['run'] as Run).id, { as: 'owner', workspace: lab })).toMatchObject({ state: 'completed' })
})

test('the audit log names the person who asked, and the end', async () => {
  const actions = () =>
    gateway.stage.query<{ action: string; actor: string }>(
      `select distinct action, actor from identity.audit_log where action like 'synthetic_rehearsal%' order by 1`,
    )
  await until(async () => (await actions()).length === 2)
  expect(await actions()).toEqual([
    { action: 'synthetic_rehearsal_completed', actor: 'owner' },
    { action: 'synthetic_rehearsal_requested', actor: 'owner' },
  ])
})
