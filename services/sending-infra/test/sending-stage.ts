import { randomUUID } from 'node:crypto'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { startDns } from '@lettergate/local/dns/dns'
import { startMailProvider } from '@lettergate/local/mail-provider/mail-provider'
import type { ServiceSchema } from '@lettergate/database/migrate'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'

export const baseUrl = 'https://lettergate.test'
export const credential = 'dev-api-key'

/** An address without a listener: connections are refused at once. */
const unreachable = '127.0.0.1:9'

export interface SendingStage {
  stage: Stage
  sending: Client<typeof SendingInfra>
  provider: { url: string }
  /** The controls of the stand-in. */
  sim(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Record<string, unknown>>
  /** An owner in a new workspace, by default of the common organization. */
  owner(organization?: string): CallScope & { workspaceId: string }
  /** A verified, active connection to the stand-in. */
  connection(ctx: CallScope, env?: { credentialEnvKey?: string; region?: string }): Promise<string>
  /** A domain on an active connection that the stand-in knows, by default with correct DNS. */
  domain(ctx: CallScope, name?: string, sim?: object): Promise<{ id: string; name: string; connectionId: string }>
  /** A domain with all states in order. */
  readyDomain(ctx: CallScope, name?: string): Promise<{ id: string; name: string; connectionId: string }>
  sender(ctx: CallScope, domain: { id: string; name: string }): Promise<string>
  /** A second replica of the service. */
  replica(env?: Record<string, string>): Promise<Client<typeof SendingInfra>>
  close(): Promise<void>
}

/** The real service with stand-ins for the mail provider and the DNS that use the real protocols. */
export async function sendingStage(
  options: {
    schemas?: readonly ServiceSchema[]
    identityTarget?: (stage: Stage) => Promise<string>
    env?: Record<string, string>
  } = {},
): Promise<SendingStage> {
  const stage = await openStage({ schemas: [schema, ...(options.schemas ?? [])] })
  const dns = await startDns()
  const provider = await startMailProvider({ apiKey: credential, signingKey: 'dev-webhook-signing-key', dns })
  const env = {
    IDENTITY_TARGET: (await options.identityTarget?.(stage)) ?? unreachable,
    BASE_URL: baseUrl,
    MAILPROVIDER_US_BASE_URL: provider.url,
    MAILPROVIDER_EU_BASE_URL: `http://${unreachable}`,
    MAILPROVIDER_TIMEOUT_MS: '5000',
    MAILPROVIDER_API_KEY: credential,
    MAILPROVIDER_WRONG_KEY: 'no-such-key',
    DNS_SERVERS: dns.address,
    DNS_TIMEOUT_MS: '2000',
    DNS_TRIES: '2',
    // the only other service that it calls
    ...(options.identityTarget ? {} : { RPC_TIMEOUT_MS: '500' }),
    ...options.env,
  }
  const app = await stage.boot('sending-infra', start, loadConfig, env)
  const sending = await stage.client(SendingInfra, app.rpcPort)

  const rig: SendingStage = {
    stage,
    sending,
    provider,
    async sim(method, path, body) {
      const response = await fetch(`${provider.url}/sim${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
      if (!response.ok) throw new Error(`${method} /sim${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as Record<string, unknown>
    },
    owner(organization = 'acme') {
      const workspaceId = randomUUID()
      return { ...stage.caller({ workspaceId, organization }), workspaceId }
    },
    async connection(ctx, env = {}) {
      const { providerConnection } = await sending.createProviderConnection(ctx, {
        name: 'main',
        credentialEnvKey: 'MAILPROVIDER_API_KEY',
        ...env,
      })
      const connectionId = providerConnection!.id
      await sending.checkProviderConnection(ctx, { connectionId })
      await sending.activateProviderConnection(ctx, { connectionId, confirmation: 'ENABLE TEST CONNECTION' })
      return connectionId
    },
    async domain(ctx, name = `d${randomUUID().slice(0, 8)}.acme.test`, sim = {}) {
      await rig.sim('PUT', `/domains/${name}`, sim)
      const connectionId = await rig.connection(ctx)
      const { sendingDomain } = await sending.createSendingDomain(ctx, { domainName: name })
      return { id: sendingDomain!.id, name, connectionId }
    },
    async readyDomain(ctx, name) {
      const domain = await rig.domain(ctx, name)
      await sending.setSendingDomainReadiness(ctx, { domainId: domain.id, quotaState: 'approved' })
      await sending.registerSendingDomainWebhooks(ctx, { domainId: domain.id })
      return domain
    },
    async sender(ctx, domain) {
      const { senderIdentity } = await sending.createSenderIdentity(ctx, {
        sendingDomainId: domain.id,
        displayName: 'Acme News',
        fromAddress: `news@${domain.name}`,
        replyTo: 'hello@acme.test',
      })
      return senderIdentity!.id
    },
    async replica(more = {}) {
      const { rpcPort } = await stage.boot('sending-infra', start, loadConfig, { ...env, RPC_PORT: '0', ...more })
      return stage.client(SendingInfra, rpcPort)
    },
    async close() {
      await stage.close()
      await provider.stop()
      await dns.stop()
    },
  }
  return rig
}

/** The Fault that a call ends with. */
export async function faultOf(call: Promise<unknown>): Promise<{ code: string; reason: string; message: string }> {
  try {
    await call
  } catch (error) {
    const { code, reason, message } = error as { code: string; reason: string; message: string }
    return { code, reason, message }
  }
  throw new Error('the call was expected to fail')
}
