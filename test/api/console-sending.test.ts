import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { automationsServices } from './automations-services.ts'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, readySender } from '@lettergate/gateway/test/people-and-senders'

const consoleOf = (workspace: string) => `/console/api/organizations/${workspace.replace('/', '/workspaces/')}`

let gateway: GatewayStage
let admin: Browser
beforeAll(async () => {
  gateway = await gatewayStage({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' }, automationsServices)
  admin = await signIn(gateway, 'admin')
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
  await readySender(gateway, newsletter)
})
afterAll(() => gateway.close())

const call = (method: string, path: string, body?: object, browser = admin) =>
  browser.call(method, `${consoleOf('acme/newsletter')}${path}`, body === undefined ? {} : { body })
const list = async <T>(path: string, field: string) =>
  (await call('GET', path)).json[field] as (T & { id: string; name: string })[]
const post = async (path: string, body: object) => {
  const { status, json, text } = await gateway.call('POST', `${newsletter}${path}`, { as: 'owner', body })
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`)
  return json as Record<string, { id: string }>
}

async function draft(senderId: string): Promise<string> {
  const { email_template: template } = await post('/email-templates', {
    name: 'T',
    slug: `t-${randomUUID().slice(0, 8)}`,
  })
  const { content_version: content } = await post(`/email-templates/${template!.id}/versions`, {
    subject: 'Hello',
    html: '<p>Hi <a href="{{ unsubscribe_url }}">leave</a></p>',
  })
  const { campaign } = await post('/campaign-drafts', {
    name: 'Campaign of June',
    audience_id: await audience(gateway),
    sender_identity_id: senderId,
    content_version_id: content!.id,
  })
  return campaign!.id
}

describe('what the console shows', () => {
  test('connections, domains with evidence, and senders, to every role that may view them', async () => {
    const analyst = await signIn(gateway, 'analyst')
    const connections = await call('GET', '/provider-connections', undefined, analyst)
    expect(connections.json).toMatchObject({
      provider_connections: [{ name: 'Provider', is_active: true, credential_value_exposed: false }],
    })
    expect(connections.text).not.toContain('dev-api-key')
    const domains = await call('GET', '/sending-domains', undefined, analyst)
    expect(domains.json).toMatchObject({
      sending_domains: [{ domain_name: 'mail.acme.test', is_ready: true, check_is_current: true, sender_count: 1 }],
    })
    const [domain] = domains.json['sending_domains'] as { id: string }[]
    expect((await call('GET', `/sending-domains/${domain!.id}`, undefined, analyst)).json).toMatchObject({
      sending_domain: { id: domain!.id },
      records: expect.arrayContaining([expect.objectContaining({ type: 'TXT', name: 'mail.acme.test' })]),
      last_check: { passed: true, evidence: { spf: { question: 'TXT mail.acme.test', verdict: 'verified' } } },
    })
    const { json } = await call('GET', `/sending-domains/${domain!.id}/checks?limit=1`, undefined, analyst)
    expect(json).toMatchObject({ checks: [{ passed: true }], next_cursor: null })
    expect((await call('GET', `/sending-domains/${domain!.id}/checks?limit=1000`)).status).toBe(422)
    expect((await call('GET', '/sender-identities', undefined, analyst)).json).toMatchObject({
      sender_identities: [{ from_address: 'news@mail.acme.test', domain_is_ready: true, enabled_at: null }],
    })
  })
})

describe('editing over HTTP', () => {
  test.each<[string, object, number, string]>([
    ['provider-connections', { name: 'Renamed' }, 200, ''],
    ['provider-connections', { webhook_signing_env_key: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY' }, 200, ''],
    ['provider-connections', { webhook_signing_env_key: null }, 200, ''],
    ['provider-connections', {}, 200, ''],
    ['provider-connections', { credential_env_key: 'DATABASE_URL' }, 422, 'credential_env_key'],
    ['provider-connections', { region: 'asia' }, 422, 'region'],
    ['provider-connections', { name: null }, 422, 'name'],
    ['sending-domains', { notes: 'ours', tracking_domain: 'email.mail.acme.test' }, 200, ''],
    ['sending-domains', { notes: null, tracking_domain: null }, 200, ''],
    ['sending-domains', { tracking_domain: '10.0.0.1' }, 422, 'tracking_domain'],
    ['sender-identities', { display_name: 'Acme <news>' }, 200, ''],
    ['sender-identities', { from_address: 'news@elsewhere.test' }, 422, 'from_address'],
    ['sender-identities', { reply_to: 'nobody' }, 422, 'reply_to'],
  ])('PATCH %s %j is %d', async (noun, body, status, named) => {
    const [first] = await list(`/${noun}`, noun.replaceAll('-', '_'))
    const answer = await call('PATCH', `/${noun}/${first!.id}`, body)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(named)
    if (status === 200) expect(Object.values(answer.json)).toMatchObject([{ id: first!.id }])
  })

  test('a changed credential shows at once that the connection must be checked again', async () => {
    const made = await post('/provider-connections', { name: 'Spare', credential_env_key: 'MAILPROVIDER_API_KEY' })
    const path = `/provider-connections/${made['provider_connection']!.id}`
    await post(`${path}/check`, {})
    expect((await call('PATCH', path, { credential_env_key: 'MAILGUN_NEXT_KEY' })).json).toMatchObject({
      provider_connection: { credential_env_key: 'MAILGUN_NEXT_KEY', connection_state: 'unchecked', is_active: false },
    })
    expect((await call('DELETE', path)).json).toEqual({ deleted: true })
    expect((await call('DELETE', path)).status).toBe(404)
  })
})

describe('deleting over HTTP', () => {
  test('is possible for the sender, then the domain, then the connection; each is kept while the previous one exists', async () => {
    const [sender] = await list('/sender-identities', 'sender_identities')
    const [domain] = await list('/sending-domains', 'sending_domains')
    const [connection] = await list<{ domain_names: string[] }>('/provider-connections', 'provider_connections')
    const campaignId = await draft(sender!.id)
    const kept = {
      [`/sender-identities/${sender!.id}`]: ['Campaign of June', campaignId],
      [`/sending-domains/${domain!.id}`]: [sender!.id],
      [`/provider-connections/${connection!.id}`]: ['mail.acme.test'],
    }
    for (const [path, words] of Object.entries(kept)) {
      const { status, text } = await call('DELETE', path)
      expect({ path, status }).toEqual({ path, status: 422 })
      for (const word of words) expect(text).toContain(word)
    }
    await gateway.stage.query(`update campaigns.campaigns set status = 'cancelled' where id = $1`, [campaignId])
    for (const path of Object.keys(kept)) expect((await call('DELETE', path)).json).toEqual({ deleted: true })
    expect((await call('GET', '/sending-domains')).json).toEqual({ sending_domains: [] })
  })
})

describe('sending off', () => {
  test('stops a workspace at once, is announced and audited once, and needs no open gate', async () => {
    const [row] = await gateway.stage.query<{ id: string }>(
      `update identity.workspaces set production_sending_enabled = true where slug = 'newsletter' returning id`,
    )
    const told = () =>
      gateway.stage.query(`select 1 from identity.outbox where event = 'workspace_changed' and workspace_id = $1`, [
        row!.id,
      ])
    const before = (await told()).length
    for (let time = 1; time <= 2; time += 1) {
      const { status, json } = await call('POST', '/sending-off')
      expect([status, json]).toEqual([200, { workspace: { id: row!.id, production_sending_enabled: false } }])
    }
    expect((await told()).length).toBe(before + 1)
    expect((await gateway.call('GET', newsletter, { as: 'analyst' })).json).toMatchObject({
      production_sending_enabled: false,
    })
    await until(
      async () =>
        (
          await gateway.stage.query(
            `select 1 from identity.audit_log where action = 'workspace_sending_stopped' and workspace_id = $1 and actor = 'admin'`,
            [row!.id],
          )
        ).length === 1,
    )
  })

  test('affects only that workspace', async () => {
    await gateway.stage.query(`update identity.workspaces set production_sending_enabled = true where slug = 'product'`)
    await call('POST', '/sending-off')
    const [row] = await gateway.stage.query(
      `select production_sending_enabled as enabled from identity.workspaces where slug = 'product'`,
    )
    expect(row).toEqual({ enabled: true })
  })
})

test('no sender and no connection is deleted while campaigns-delivery is down', async () => {
  const alone = await gatewayStage()
  try {
    const browser = await signIn(alone, 'admin')
    await readySender(alone, newsletter)
    for (const [noun, table] of [
      ['sender-identities', 'sender_identities'],
      ['provider-connections', 'provider_connections'],
    ] as const) {
      const [row] = await alone.stage.query<{ id: string }>(`select id from sending.${table}`)
      const path = `${consoleOf('acme/newsletter')}/${noun}/${row!.id}`
      expect((await browser.call('DELETE', path)).status).toBe(503)
      expect(await alone.stage.query(`select 1 from sending.${table} where id = $1`, [row!.id])).toHaveLength(1)
    }
  } finally {
    await alone.close()
  }
})
