import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { loadConfig } from '@lettergate/campaigns-delivery/config'
import { schema } from '@lettergate/campaigns-delivery/migrations'
import { start } from '@lettergate/campaigns-delivery/service'
import { signIn } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, readySender } from '@lettergate/gateway/test/people-and-senders'
import { until } from '@lettergate/stage'
import { loadConfig as loadIntake } from '@lettergate/webhook-intake/config'
import { schema as intakeSchema } from '@lettergate/webhook-intake/migrations'
import { start as startIntake } from '@lettergate/webhook-intake/service'
import { importsServices } from './imports-services.ts'

const keys = { MAILPROVIDER_API_KEY: 'dev-api-key', MAILPROVIDER_WEBHOOK_SIGNING_KEY: 'dev-webhook-signing-key' }

interface Report {
  id: string
  status: string
  summary: Record<string, number>
  checks: { code: string; status: string; detail: string; evidence: Record<string, unknown>; remediation: string }[]
  report_checksum: string
  requested_by_wallet_id: string
}

interface History {
  preflights: (Omit<Report, 'requested_by_wallet_id'> & { requested_by: string; changes: unknown[] })[]
  next_cursor: string | null
}

let gateway: GatewayStage
let startWorker: () => Promise<unknown>
beforeAll(async () => {
  gateway = await gatewayStage(
    { ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' },
    {
      schemas: [schema, intakeSchema, ...importsServices.schemas],
      async boot(stage, targets) {
        const intake = await stage.boot('webhook-intake', startIntake, loadIntake, { ...keys, ...targets })
        const imports = await importsServices.boot(stage, targets)
        const env = { ...targets, ...imports, ...keys, WEBHOOK_INTAKE_TARGET: `127.0.0.1:${intake.rpcPort}` }
        startWorker = () => stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'worker' })
        const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'api' })
        return { ...imports, CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rpcPort}` }
      },
    },
  )
})
afterAll(() => gateway.close())

const atConsole = '/console/api/organizations/acme/workspaces/newsletter'
const path = `${newsletter}/operations/preflight`
const run = async (as = 'admin') => {
  const { status, json, text } = await gateway.call('POST', path, { as, body: {} })
  return { status, text, preflight: json['preflight'] as Report }
}
const latest = async (as = 'analyst', of = path) => {
  const { status, json } = await gateway.call('GET', of, { as })
  return { status, preflight: json['preflight'] as Report | null }
}
const problems = ({ checks }: Report) =>
  Object.fromEntries(checks.filter(({ status }) => status !== 'pass').map(({ code, status }) => [code, status]))
const evidenceOf = ({ checks }: Report, code: string) => checks.find((check) => check.code === code)!.evidence

test('before the first preflight there is none; analysts read and do not run it, outsiders see nothing', async () => {
  expect(await latest()).toEqual({ status: 200, preflight: null })
  expect((await run('analyst')).status).toBe(403)
  expect((await run('outsider')).status).toBe(404)
  expect((await latest('outsider')).status).toBe(404)
  expect(await latest()).toEqual({ status: 200, preflight: null })
})

test('a workspace without anything is blocked, and the report says by what and what to do', async () => {
  const { status, preflight } = await run()
  expect(status).toBe(200)
  expect(problems(preflight)).toEqual({
    production_switch: 'block',
    workspace_sending: 'block',
    provider_connection: 'block',
    webhook_signing_key: 'block',
    domain_readiness: 'block',
    webhook_registration: 'block',
    sender_enabled: 'block',
    // the gateway of this test has no https address
    unsubscribe_link: 'warn',
    recent_test_send: 'warn',
    verified_rehearsal: 'warn',
    // no worker runs yet
    delivery_workers: 'warn',
    event_backlog: 'warn',
    suppression_feed: 'warn',
  })
  expect(preflight).toMatchObject({
    status: 'blocked',
    summary: { passed: 3, blocked: 7, warnings: 6 },
    requested_by_wallet_id: 'admin',
  })
  for (const check of preflight.checks) expect(check.remediation === 'Nothing to do.').toBe(check.status === 'pass')
})

test('the report is retained, is the latest one, and its checksum covers status, summary and checks', async () => {
  const { preflight: first } = await run()
  const { preflight: second } = await run()
  expect((await latest()).preflight).toEqual(second)
  const { status, summary, checks } = second
  expect(second.report_checksum).toBe(sha256Of({ status, summary, checks }))
  const kept = await gateway.stage.query<{ id: string }>('select id from campaigns.preflights order by id')
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining([first.id, second.id]))
  await expect(
    gateway.stage.query(`update campaigns.preflights set report_checksum = '' where id = '${first.id}'`),
  ).rejects.toThrow('never changed')
  const product = await latest('owner', path.replace('newsletter', 'product'))
  expect(product.preflight).toBeNull()
})

test('the history of preflights has every report, newest first, with what changed since the one before', async () => {
  const history = async (as: string, query = '', of = `${atConsole}/preflights`) => {
    const { status, json } = await (await signIn(gateway, as)).call('GET', of + query)
    return { status, ...(json as unknown as History) }
  }
  const { preflight: first } = await run()
  await gateway.stage.query(
    `update identity.platform_gates set stored = true where name = 'production_sending_enabled'`,
  )
  const { preflight: second } = await run('owner')
  await gateway.stage.query(
    `update identity.platform_gates set stored = false where name = 'production_sending_enabled'`,
  )
  const newest = await history('analyst', '?limit=1')
  expect(newest.status).toBe(200)
  const { id, status, summary, checks, report_checksum } = second
  expect(newest.preflights).toEqual([
    {
      id,
      status,
      summary,
      checks,
      report_checksum,
      requested_by: 'owner',
      completed_at: expect.any(String),
      previous_id: first.id,
      changes: [{ code: 'production_switch', label: expect.any(String), before: 'block', after: 'pass' }],
    },
  ])
  const next = await history('analyst', `?limit=1&cursor=${newest.next_cursor}`)
  expect(next.preflights).toMatchObject([{ id: first.id, requested_by: 'admin', changes: [] }])
  const all = await history('editor')
  expect(all.next_cursor).toBeNull()
  expect(all.preflights.slice(0, 2)).toEqual([...newest.preflights, ...next.preflights])
  expect(all.preflights.at(-1)).toMatchObject({ previous_id: null, changes: [] })
  const product = atConsole.replace('newsletter', 'product')
  expect(await history('owner', '', `${product}/preflights`)).toEqual({
    status: 200,
    preflights: [],
    next_cursor: null,
  })
  expect((await history('outsider')).status).toBe(404)
  expect((await history('analyst', '?limit=201')).status).toBe(422)
  expect((await history('analyst', '?cursor=nothing')).status).toBe(422)
  expect((await gateway.call('GET', `${atConsole}/preflights`, { as: 'analyst' })).status).toBe(401)
})

test('a preflight is in the audit log', async () => {
  const { preflight } = await run()
  const found = await until(async () => {
    const entries = await gateway.stage.query<{ action: string; actor: string }>(
      `select action, actor from identity.audit_log where subject_id = '${preflight.id}'`,
    )
    return entries[0]
  })
  expect(found).toEqual({ action: 'preflight_completed', actor: 'admin' })
})

test('it passes for a workspace that is ready, and neither sends nor opens a gate', async () => {
  await startWorker()
  await readySender(gateway, newsletter)
  await gateway.stage.query('update sending.sender_identities set is_enabled = true, enabled_at = now()')
  await gateway.stage.query(
    `update sending.provider_connections set webhook_signing_env_key = 'MAILPROVIDER_WEBHOOK_SIGNING_KEY'`,
  )
  await gateway.stage.query(
    `update identity.workspaces set production_sending_enabled = true where slug = 'newsletter'`,
  )
  await gateway.stage.query(
    `update identity.platform_gates set stored = true where name = 'production_sending_enabled'`,
  )
  const gates = () => gateway.stage.query('select name, stored from identity.platform_gates order by name')
  const calls = async () => (await (await fetch(`${gateway.providerUrl}/sim/stats`)).json()) as object
  const before = [await gates(), await calls()]
  const passed = await until(async () => {
    const { preflight } = await run()
    return preflight.status === 'passed' && evidenceOf(preflight, 'event_backlog')['waiting_events'] === 0
      ? preflight
      : undefined
  })
  expect(await latest()).toMatchObject({ preflight: { status: 'passed' } })
  expect(Object.values(problems(passed))).not.toContain('block')
  expect([await gates(), await calls()]).toEqual(before)
})

test('a key that webhook-intake does not have blocks, and its name is the only thing that is shown', async () => {
  const set = (name: string) =>
    gateway.stage.query(`update sending.provider_connections set webhook_signing_env_key = $1`, [name])
  await set('MAILPROVIDER_MISSING_KEY')
  const { preflight, text } = await run()
  await set('MAILPROVIDER_WEBHOOK_SIGNING_KEY')
  expect(problems(preflight)).toMatchObject({ webhook_signing_key: 'block' })
  expect(evidenceOf(preflight, 'webhook_signing_key')).toMatchObject({
    connections: [{ webhook_signing_env_key: 'MAILPROVIDER_MISSING_KEY', is_set: false }],
  })
  for (const secret of Object.values(keys)) expect(text).not.toContain(secret)
})

test('an import that has not ended warns, and names it', async () => {
  const form = new FormData()
  form.set('file', new Blob(['email\nada@example.org\n'], { type: 'text/csv' }), 'people.csv')
  form.set('audience_id', await audience(gateway))
  form.set('source_label', 'test')
  const answer = await fetch(`${gateway.baseUrl}${newsletter}/imports/csv`, {
    method: 'POST',
    headers: { authorization: 'Bearer wallet-session-dev-admin' },
    body: form,
  })
  expect(answer.status).toBe(201)
  const { import: job } = (await answer.json()) as { import: { id: string } }
  const { preflight } = await run()
  expect(problems(preflight)).toMatchObject({ import_in_progress: 'warn' })
  expect(evidenceOf(preflight, 'import_in_progress')).toEqual({ imports: [{ id: job.id, status: 'uploaded' }] })
})
