import type { Stage } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import { loadConfig } from '@lettergate/campaigns-delivery/config'
import { schema } from '@lettergate/campaigns-delivery/migrations'
import { start } from '@lettergate/campaigns-delivery/service'
import { loadConfig as loadIntake } from '@lettergate/webhook-intake/config'
import { schema as intakeSchema } from '@lettergate/webhook-intake/migrations'
import { start as startIntake } from '@lettergate/webhook-intake/service'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { readySender } from '@lettergate/gateway/test/people-and-senders'

const keys = { MAILPROVIDER_API_KEY: 'dev-api-key', MAILPROVIDER_WEBHOOK_SIGNING_KEY: 'dev-webhook-signing-key' }

const environment = {
  ...keys,
  TEST_RECIPIENT_ALLOWLIST: '@example.org',
  TEST_SEND_HOURLY_CAP: '60',
  CAMPAIGN_WEBHOOK_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64url')}`,
  CAMPAIGN_WEBHOOK_ALLOW_PRIVATE: 'true',
}

async function bootApi(stage: Stage, targets: Record<string, string>) {
  const env = { ...environment, ...targets, ROLE: 'api', DELIVERY_HAND_OFF_TIMEOUT_MS: '1500' }
  const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, env)
  return { CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rpcPort}` }
}

export interface ApiTestingStage extends GatewayStage {
  /** of an enabled gate, a verified domain and an active connection */
  senderId: string
  contentVersionId: string
  setTestGate(isOpen: boolean): Promise<unknown>
  sim(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** The same platform in a deployment whose environment does not open test sends. */
  belowCeiling(): Promise<Pick<GatewayStage, 'call'>>
}

/** The gateway with everything that a test send uses: the real services, the stand-in of the provider and its events. */
export async function testingStage(more: Record<string, string> = {}): Promise<ApiTestingStage> {
  const intakePort = await freePort()
  const gateway = await gatewayStage(
    { TEST_SENDS_ENABLED: 'true', ...more },
    {
      schemas: [schema, intakeSchema],
      async boot(stage, targets) {
        await stage.boot('campaigns-delivery', start, loadConfig, { ...environment, ...targets, ROLE: 'worker' })
        const intake = { ...environment, ...targets, HTTP_PORT: String(intakePort) }
        await stage.boot('webhook-intake', startIntake, loadIntake, intake)
        return bootApi(stage, targets)
      },
    },
  )
  const setTestGate = (isOpen: boolean) =>
    gateway.stage.query(`update identity.platform_gates set stored = $1 where name = 'test_sends_enabled'`, [isOpen])
  const sim: ApiTestingStage['sim'] = async (method, path, body) => {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
    return (await (await fetch(`${gateway.providerUrl}/sim${path}`, { method, ...init })).json()) as Record<
      string,
      unknown
    >
  }
  const owner = async <T>(path: string, body: object): Promise<T> =>
    (await gateway.call('POST', `${newsletter}${path}`, { as: 'owner', body })).json as T

  await setTestGate(true)
  await readySender(gateway, newsletter)
  const [connection] = await gateway.stage.query<{ id: string }>('select id from sending.provider_connections')
  await gateway.stage.query(
    `update sending.provider_connections set webhook_signing_env_key = 'MAILPROVIDER_WEBHOOK_SIGNING_KEY'`,
  )
  const [sender] = await gateway.stage.query<{ id: string }>('select id from sending.sender_identities')
  const webhook = [`http://127.0.0.1:${intakePort}/webhooks/mailprovider/${connection!.id}`]
  const kinds = [
    'accepted',
    'delivered',
    'opened',
    'clicked',
    'complained',
    'unsubscribed',
    'permanent_fail',
    'temporary_fail',
  ]
  await sim('PUT', '/domains/mail.acme.test', { webhooks: Object.fromEntries(kinds.map((kind) => [kind, webhook])) })
  const { email_template: template } = await owner<{ email_template: { id: string } }>('/email-templates', {
    name: 'Welcome',
    slug: 'welcome',
  })
  const { content_version: version } = await owner<{ content_version: { id: string } }>(
    `/email-templates/${template.id}/versions`,
    { subject: 'Hello {{ first_name }}', html: '<p>Hello <a href="{{ unsubscribe_url }}">leave</a></p>' },
  )
  const belowCeiling = async () => {
    const rpcPort = await freePort()
    const targets = { ...gateway.targets, IDENTITY_TARGET: `127.0.0.1:${rpcPort}` }
    return gateway.replica({
      ...(await bootApi(gateway.stage, targets)),
      RPC_PORT: String(rpcPort),
      TEST_SENDS_ENABLED: 'false',
    })
  }
  return { ...gateway, senderId: sender!.id, contentVersionId: version.id, setTestGate, sim, belowCeiling }
}
