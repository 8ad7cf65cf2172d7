import { randomBytes } from 'node:crypto'
import { loadConfig as automationsConfig } from '@lettergate/automations/config'
import { start as startAutomations } from '@lettergate/automations/service'
import { loadConfig as campaignsConfig } from '@lettergate/campaigns-delivery/config'
import { start as startCampaigns } from '@lettergate/campaigns-delivery/service'
import { loadConfig as contactsConfig } from '@lettergate/contacts-consent/config'
import { start as startContacts } from '@lettergate/contacts-consent/service'
import { loadConfig as gatewayConfig } from '@lettergate/gateway/config'
import { seed } from '@lettergate/gateway/seed'
import { start as startGateway } from '@lettergate/gateway/service'
import { loadConfig as importsConfig } from '@lettergate/imports/config'
import { start as startImports } from '@lettergate/imports/service'
import { startDns } from '@lettergate/local/dns/dns'
import { openApi, signInAs, type Api } from '@lettergate/demo/api'
import { startEdge } from '@lettergate/local/edge/edge'
import { startMailProvider } from '@lettergate/local/mail-provider/mail-provider'
import { startWallet } from '@lettergate/local/wallet/wallet'
import { loadConfig as sendingConfig } from '@lettergate/sending-infra/config'
import { start as startSending } from '@lettergate/sending-infra/service'
import { schemas as schemasByService } from '@lettergate/single/schemas'
import { freePort } from '@lettergate/stage/ports'
import { openStage, type Stage } from '@lettergate/stage'
import { loadConfig as webhooksConfig } from '@lettergate/webhook-intake/config'
import { start as startWebhooks } from '@lettergate/webhook-intake/service'

export const schemas = Object.values(schemasByService)

/** All services in one process, wired as in a cluster, for tests across services. */
export interface Constellation {
  stage: Stage
  baseUrl: string
  providerUrl: string
  walletUrl: string
  /** Starts a worker, which a constellation does not have by itself. */
  startWorker(service: 'imports' | 'automations'): Promise<void>
  /** Two replicas; a test may stop one, without an effect on the callers. */
  contactsReplicas: readonly { stop(): Promise<void> }[]
  /** A caller of the public API with the token `wallet-session-dev-<who>`. The responses of all callers are validated. */
  as(who: string): Api
  /** A caller with a browser session. */
  inBrowser(who: string): Promise<Api>
  close(): Promise<void>
}

/** Starts all services, two delivery workers, two replicas of contacts-consent, and the stand-ins. Ceilings are closed unless `env` opens them. */
export async function openConstellation(env: Record<string, string> = {}): Promise<Constellation> {
  const stage = await openStage({ schemas })
  await seed(stage.databaseUrl(schemasByService['gateway']!.role))
  const names = [
    'gateway',
    'contacts-consent',
    'sending-infra',
    'campaigns-delivery',
    'imports',
    'automations',
    'webhook-intake',
  ] as const
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await freePort()] as const)),
  ) as Record<(typeof names)[number], number>
  const [edgePort, gatewayHttp, webhookHttp] = [await freePort(), await freePort(), await freePort()]
  const contactsPorts = [ports['contacts-consent'], await freePort()]
  const workerPorts = [await freePort(), await freePort()]
  const replicas = (of: readonly number[]) => `ipv4:${of.map((port) => `127.0.0.1:${port}`).join(',')}`
  const baseUrl = `http://127.0.0.1:${edgePort}`
  const wallet = await startWallet({ clientId: 'lettergate', clientSecret: 'test-wallet-secret' })
  const dns = await startDns()
  const provider = await startMailProvider({
    apiKey: 'dev-api-key',
    signingKey: 'dev-webhook-signing-key',
    dns,
    retryScale: 0.001,
  })
  const edge = await startEdge({
    port: edgePort,
    gatewayUrl: `http://127.0.0.1:${gatewayHttp}`,
    webhookUrl: `http://127.0.0.1:${webhookHttp}`,
  })

  const target = (name: (typeof names)[number]) => `127.0.0.1:${ports[name]}`
  const shared = {
    BASE_URL: baseUrl,
    IDENTITY_TARGET: target('gateway'),
    // like the DNS name of a headless service: callers use the replicas in turn
    CONTACTS_CONSENT_TARGET: replicas(contactsPorts),
    SENDING_INFRA_TARGET: target('sending-infra'),
    CAMPAIGNS_DELIVERY_TARGET: target('campaigns-delivery'),
    CAMPAIGNS_WORKER_TARGET: replicas(workerPorts),
    IMPORTS_TARGET: target('imports'),
    AUTOMATIONS_TARGET: target('automations'),
    WEBHOOK_INTAKE_TARGET: target('webhook-intake'),
    WALLET_BASE_URL: wallet.url,
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    SERVICE_API_KEY: 'dev-service-key',
    MAILPROVIDER_US_BASE_URL: provider.url,
    MAILPROVIDER_EU_BASE_URL: provider.url,
    MAILPROVIDER_API_KEY: 'dev-api-key',
    MAILPROVIDER_WEBHOOK_SIGNING_KEY: 'dev-webhook-signing-key',
    DNS_SERVERS: dns.address,
    PREFERENCE_SIGNING_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
    CONSENT_PROOF_SIGNING_KEY: `p1:${randomBytes(32).toString('base64url')}`,
    ERASURE_HASH_KEYS: `e1:${randomBytes(32).toString('base64url')}`,
    CAMPAIGN_WEBHOOK_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
    CAMPAIGN_WEBHOOK_ALLOW_PRIVATE: 'true',
    IMPORT_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
    VALIDATE_RESPONSES: 'true',
    // all services share one process, and other tests run beside it
    RPC_TIMEOUT_MS: '30000',
    ...env,
  }
  const own = (name: (typeof names)[number], more: Record<string, string> = {}) => ({
    ...shared,
    RPC_PORT: String(ports[name]),
    ...more,
  })

  const contactsReplicas: { stop(): Promise<void> }[] = []
  for (const port of contactsPorts) {
    const replica = { ...shared, RPC_PORT: String(port) }
    contactsReplicas.push(await stage.boot('contacts-consent', startContacts, contactsConfig, replica))
  }
  await stage.boot('gateway', startGateway, gatewayConfig, own('gateway', { HTTP_PORT: String(gatewayHttp) }))
  await stage.boot('sending-infra', startSending, sendingConfig, own('sending-infra'))
  await stage.boot('campaigns-delivery', startCampaigns, campaignsConfig, own('campaigns-delivery', { ROLE: 'api' }))
  for (const port of workerPorts)
    await stage.boot('campaigns-delivery', startCampaigns, campaignsConfig, {
      ...shared,
      ROLE: 'worker',
      RPC_PORT: String(port),
    })
  await stage.boot(
    'webhook-intake',
    startWebhooks,
    webhooksConfig,
    own('webhook-intake', { HTTP_PORT: String(webhookHttp) }),
  )
  await stage.boot('imports', startImports, importsConfig, own('imports', { ROLE: 'api' }))
  await stage.boot('automations', startAutomations, automationsConfig, own('automations', { ROLE: 'api' }))

  const apis: Api[] = []
  const keep = (api: Api) => {
    apis.push(api)
    return api
  }
  return {
    stage,
    baseUrl,
    providerUrl: provider.url,
    walletUrl: wallet.url,
    async startWorker(service) {
      const env = { ...shared, ROLE: 'worker' }
      if (service === 'imports') await stage.boot(service, startImports, importsConfig, env)
      else await stage.boot(service, startAutomations, automationsConfig, env)
    },
    contactsReplicas,
    as: (who) => keep(openApi(baseUrl, { authorization: `Bearer wallet-session-dev-${who}` })),
    inBrowser: async (who) => keep(openApi(baseUrl, await signInAs(who, baseUrl))),
    async close() {
      await Promise.all(apis.map((api) => api.close()))
      await edge.stop()
      await provider.stop()
      await Promise.all([wallet.stop(), dns.stop()])
      await stage.close()
    },
  }
}
