import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig as loadGatewayConfig } from '@lettergate/gateway/config'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import { seed } from '@lettergate/gateway/seed'
import { start as startGateway } from '@lettergate/gateway/service'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { startWallet } from '@lettergate/local/wallet/wallet'
import { freePort } from '@lettergate/stage/ports'
import { sendingStage, type SendingStage } from '@lettergate/sending-infra/test/sending-stage'

const unreachable = '127.0.0.1:9'
const unknown = '01890000-0000-7000-8000-000000000000'

let rig: SendingStage
let gatewayUrl: string
let wallet: Awaited<ReturnType<typeof startWallet>>

beforeAll(async () => {
  // the gateway and sending-infra call each other, so one port must be known before both start
  const rpcPort = await freePort()
  wallet = await startWallet({ clientId: 'lettergate', clientSecret: 'test-wallet-secret' })
  let identityPort = 0
  rig = await sendingStage({
    schemas: [identitySchema],
    env: { RPC_PORT: String(rpcPort) },
    identityTarget: async (stage) => {
      await seed(stage.databaseUrl(identitySchema.role))
      const gateway = await stage.boot('gateway', startGateway, loadGatewayConfig, {
        BASE_URL: 'http://127.0.0.1:8080',
        WALLET_BASE_URL: wallet.url,
        WALLET_CLIENT_ID: 'lettergate',
        WALLET_CLIENT_SECRET: 'test-wallet-secret',
        ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
        // a reply that contradicts the OpenAPI document is a 500 here
        VALIDATE_RESPONSES: 'true',
        SENDING_INFRA_TARGET: `127.0.0.1:${rpcPort}`,
        CONTACTS_CONSENT_TARGET: unreachable,
        CAMPAIGNS_DELIVERY_TARGET: unreachable,
        IMPORTS_TARGET: unreachable,
        AUTOMATIONS_TARGET: unreachable,
        WEBHOOK_INTAKE_TARGET: unreachable,
      })
      gatewayUrl = `http://127.0.0.1:${gateway.httpPort}`
      identityPort = gateway.rpcPort
      return `127.0.0.1:${identityPort}`
    },
  })
  const identity = await rig.stage.client(Identity, identityPort)
  await identity.setPlatformGate(rig.stage.caller({ platformRole: 'owner' }), {
    name: 'production_sending_enabled',
    enabled: true,
  })
})
afterAll(async () => {
  await rig.close()
  await wallet.stop()
})

interface Answer {
  status: number
  type: string
  json: Record<string, Record<string, unknown>>
  text: string
}

async function post(
  path: string,
  body: object = {},
  options: { as?: string; workspace?: string } = {},
): Promise<Answer> {
  const { as = 'owner', workspace = 'acme/newsletter' } = options
  const [organization, slug] = workspace.split('/')
  const response = await fetch(`${gatewayUrl}/api/v1/organizations/${organization}/workspaces/${slug}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer wallet-session-dev-${as}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  return {
    status: response.status,
    type,
    text,
    json: type.startsWith('application/json') ? (JSON.parse(text) as Answer['json']) : {},
  }
}

test('a new workspace gets an enabled sender through the public API, and every answer is as documented', async () => {
  const created = await post('/provider-connections', { name: 'main', credential_env_key: 'MAILPROVIDER_API_KEY' })
  expect(created).toMatchObject({
    status: 200,
    json: {
      provider_connection: {
        provider: 'mailprovider',
        region: 'us',
        webhook_signing_env_key: null,
        connection_state: 'unchecked',
        is_active: false,
        credential_value_exposed: false,
      },
    },
  })
  const connection = `/provider-connections/${String(created.json['provider_connection']!['id'])}`
  expect(await post(`${connection}/activate`, { confirmation: 'ENABLE TEST CONNECTION' })).toMatchObject({
    status: 422,
  })
  expect(await post(`${connection}/check`)).toMatchObject({
    status: 200,
    json: { provider_connection: { connection_state: 'verified' }, check: { ok: true } },
  })
  expect(await post(`${connection}/activate`, { confirmation: 'ENABLE TEST CONNECTION' })).toMatchObject({
    status: 200,
    json: { provider_connection: { is_active: true } },
  })

  const added = await post('/sending-domains', { domain_name: 'mail.acme.test' })
  expect(added).toMatchObject({
    status: 200,
    json: { sending_domain: { domain_name: 'mail.acme.test', verification_state: 'not_checked', is_ready: false } },
  })
  const domainId = String(added.json['sending_domain']!['id'])
  expect(await post('/sending-domains', { domain_name: 'MAIL.acme.test' })).toMatchObject({ status: 409 })
  expect(await post(`/sending-domains/${domainId}/readiness`, { quota_state: 'approved' })).toMatchObject({
    status: 200,
    json: { sending_domain: { quota_state: 'approved', spf_state: 'not_checked' } },
  })
  expect(await post(`/sending-domains/${domainId}/verify`)).toMatchObject({
    status: 200,
    json: {
      sending_domain: { spf_state: 'verified', is_ready: false },
      check: { is_ready: false, evidence: { spf: { verdict: 'verified' } } },
    },
  })
  expect(await post(`/sending-domains/${domainId}/register-webhooks`)).toMatchObject({
    status: 200,
    json: { sending_domain: { is_ready: true }, check: { is_ready: true }, refused: [] },
  })

  const sender = await post('/sender-identities', {
    sending_domain_id: domainId,
    display_name: 'Acme',
    from_address: 'news@mail.acme.test',
    reply_to: 'hello@acme.test',
  })
  expect(sender).toMatchObject({
    status: 200,
    json: { sender_identity: { is_enabled: false, verification_state: 'verified' } },
  })
  const senderPath = `/sender-identities/${String(sender.json['sender_identity']!['id'])}`
  expect(
    await post(`${senderPath}/activate`, { confirmation: 'ACTIVATE PRODUCTION SENDING' }, { as: 'admin' }),
  ).toMatchObject({ status: 403 })
  const activated = await post(
    `${senderPath}/activate`,
    { confirmation: 'ACTIVATE PRODUCTION SENDING' },
    { as: 'wsowner' },
  )
  expect(activated.status).toBe(200)
  expect(activated.json).toEqual({ sender_identity: { id: expect.any(String), is_enabled: true } })
  expect(
    await post('/activate-sending', { confirmation: 'ACTIVATE PRODUCTION SENDING', quota_reviewed: true }),
  ).toMatchObject({ status: 200, json: { workspace: { production_sending_enabled: true } } })

  for (const path of [`/sending-domains/${domainId}/verify`, `${connection}/check`, `${senderPath}/activate`]) {
    expect(
      await post(path, { confirmation: 'ACTIVATE PRODUCTION SENDING' }, { as: 'outsider', workspace: 'globex/main' }),
    ).toMatchObject({ status: 404 })
  }
})

test('a domain that is bound to another connection is unchecked again', async () => {
  const workspace = 'globex/main'
  const as = { as: 'outsider', workspace }
  const connect = async () =>
    String(
      (await post('/provider-connections', { name: 'main', credential_env_key: 'MAILPROVIDER_API_KEY' }, as)).json[
        'provider_connection'
      ]!['id'],
    )
  await connect()
  const added = await post('/sending-domains', { domain_name: 'mail.globex.test' }, as)
  const path = `/sending-domains/${String(added.json['sending_domain']!['id'])}`
  await post(`${path}/verify`, {}, as)
  const body = { provider_connection_id: await connect(), dkim_selector: 'k1', provider_domain_reference: 'second' }
  expect(await post(`${path}/provider`, body, as)).toMatchObject({
    status: 200,
    json: { sending_domain: { domain_name: 'mail.globex.test', spf_state: 'not_checked', is_ready: false } },
  })
  expect(await post(`${path}/register-webhooks`, {}, as)).toMatchObject({
    status: 200,
    json: { sending_domain: { spf_state: 'verified', quota_state: 'not_checked' } },
  })
  for (const [named, wrong] of [
    ['provider_connection_id', { ...body, provider_connection_id: unknown }],
    ['dkim_selector', { ...body, dkim_selector: 'a b' }],
    ['dkim_selector', { provider_connection_id: body.provider_connection_id }],
  ] as const) {
    const { status, text } = await post(`${path}/provider`, wrong, as)
    expect([status, text]).toEqual([422, expect.stringContaining(named)])
  }
  expect(await post(`${path}/provider`, body)).toMatchObject({ status: 404 })
})

test('a kind of events with the maximum number of URLs is refused by name', async () => {
  const workspace = 'acme/product'
  await post('/provider-connections', { name: 'main', credential_env_key: 'MAILPROVIDER_API_KEY' }, { workspace })
  const added = await post('/sending-domains', { domain_name: 'full.acme.test' }, { workspace })
  const path = `/sending-domains/${String(added.json['sending_domain']?.['id'])}/register-webhooks`
  expect(await post(path, {}, { workspace })).toMatchObject({
    status: 200,
    json: { refused: ['opened'], sending_domain: { is_ready: false } },
  })
})

test.each<[string, number, string, object]>([
  ['owner', 422, '/provider-connections', { name: 'x', credential_env_key: 'DATABASE_URL' }],
  ['owner', 422, '/provider-connections', { name: 'x' }],
  ['owner', 422, '/provider-connections', { name: 'x', credential_env_key: 'MAILGUN_KEY', region: 'asia' }],
  ['owner', 422, '/sending-domains', { domain_name: 'unknown.acme.test' }],
  ['owner', 422, '/sending-domains', { domain_name: 'co.uk' }],
  ['owner', 422, '/sending-domains', { domain_name: 'mail.globex.test', provider_connection_id: unknown }],
  ['owner', 404, `/sending-domains/${unknown}/verify`, {}],
  ['owner', 404, '/sending-domains/not-an-id/verify', {}],
  ['owner', 404, `/provider-connections/${unknown}/check`, {}],
  ['owner', 404, `/sender-identities/${unknown}/activate`, { confirmation: 'ACTIVATE PRODUCTION SENDING' }],
  ['owner', 422, `/sender-identities/${unknown}/activate`, { confirmation: 'activate' }],
  [
    'owner',
    422,
    '/sender-identities',
    { sending_domain_id: unknown, display_name: 'A', from_address: 'a@mail.acme.test', reply_to: 'a@acme.test' },
  ],
  ['editor', 403, '/sending-domains', { domain_name: 'mail.acme.test' }],
  ['analyst', 403, '/provider-connections', { name: 'x', credential_env_key: 'MAILGUN_KEY' }],
  ['outsider', 404, '/sending-domains', { domain_name: 'mail.acme.test' }],
])('%s gets a %s page for POST %s %j', async (as, status, path, body) => {
  const answer = await post(path, body, { as })
  expect(answer).toMatchObject({ status, type: expect.stringMatching(/^text\/html/) })
  expect(answer.text).not.toMatch(/dev-api-key|internal error/i)
})
