// Over 300 lines because every test of delivery uses this stage.
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { GateChangedSchema, WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { loadConfig as loadContactsConfig } from '@lettergate/contacts-consent/config'
import { schema as contactsSchema } from '@lettergate/contacts-consent/migrations'
import { start as startContacts } from '@lettergate/contacts-consent/service'
import { newId } from '@lettergate/database'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { Fault } from '@lettergate/fault'
import { loadConfig as loadGatewayConfig } from '@lettergate/gateway/config'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import { start as startGateway } from '@lettergate/gateway/service'
import { startDns } from '@lettergate/local/dns/dns'
import { startMailProvider } from '@lettergate/local/mail-provider/mail-provider'
import { startWallet } from '@lettergate/local/wallet/wallet'
import { loadConfig as loadSendingConfig } from '@lettergate/sending-infra/config'
import { schema as sendingSchema } from '@lettergate/sending-infra/migrations'
import { start as startSending } from '@lettergate/sending-infra/service'
import { freePort } from '@lettergate/stage/ports'
import { patient } from '@lettergate/stage/patiently'
import { openStage, until } from '@lettergate/stage'
import { loadConfig as loadIntakeConfig } from '@lettergate/webhook-intake/config'
import { schema as webhooksSchema } from '@lettergate/webhook-intake/migrations'
import { start as startIntake } from '@lettergate/webhook-intake/service'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'
import { startBuilder } from './snapshot-builder.ts'

const nobody = '127.0.0.1:9'
const keys = { MAILPROVIDER_API_KEY: 'dev-api-key', MAILPROVIDER_WEBHOOK_SIGNING_KEY: 'dev-webhook-signing-key' }

/** All services of delivery, with stand-ins that speak the real protocols, and a workspace that may send. */
export async function openDelivery(
  options: { contacts?: Record<string, string>; schemas?: readonly ServiceSchema[] } = {},
) {
  const stage = await openStage({
    schemas: [schema, contactsSchema, sendingSchema, identitySchema, webhooksSchema, ...(options.schemas ?? [])],
  })
  const dns = await startDns()
  const provider = await startMailProvider({
    apiKey: 'dev-api-key',
    signingKey: 'dev-webhook-signing-key',
    dns,
    retryScale: 0.001, // an event that was refused comes again at once, not after five minutes
  })
  const wallet = await startWallet({ clientId: 'lettergate', clientSecret: 'test-wallet-secret' })
  const webhookPort = await freePort()
  const baseUrl = `http://127.0.0.1:${webhookPort}`
  const providerUrls = { MAILPROVIDER_US_BASE_URL: provider.url, MAILPROVIDER_EU_BASE_URL: `http://${nobody}` }

  const contactsApp = await stage.boot('contacts-consent', startContacts, loadContactsConfig, {
    BASE_URL: baseUrl,
    PREFERENCE_SIGNING_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64url')}`,
    CONSENT_PROOF_SIGNING_KEY: `p1:${Buffer.alloc(32, 3).toString('base64url')}`,
    ERASURE_HASH_KEYS: `e1:${Buffer.alloc(32, 5).toString('base64url')}`,
    ...options.contacts,
  })
  const gateway = await stage.boot('gateway', startGateway, loadGatewayConfig, {
    BASE_URL: baseUrl,
    WALLET_BASE_URL: wallet.url,
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    TEST_SENDS_ENABLED: 'true',
    SYNTHETIC_REHEARSALS_ENABLED: 'true',
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${contactsApp.rpcPort}`,
    SENDING_INFRA_TARGET: nobody,
    CAMPAIGNS_DELIVERY_TARGET: nobody,
    IMPORTS_TARGET: nobody,
    AUTOMATIONS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: nobody,
  })
  const identityTarget = `127.0.0.1:${gateway.rpcPort}`
  const sendingApp = await stage.boot('sending-infra', startSending, loadSendingConfig, {
    ...keys,
    ...providerUrls,
    BASE_URL: baseUrl,
    IDENTITY_TARGET: identityTarget,
    DNS_SERVERS: dns.address,
  })
  const intake = await stage.boot('webhook-intake', startIntake, loadIntakeConfig, {
    ...keys,
    HTTP_PORT: String(webhookPort),
    IDENTITY_TARGET: identityTarget,
    SENDING_INFRA_TARGET: `127.0.0.1:${sendingApp.rpcPort}`,
    RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000',
  })

  const env = {
    ...keys,
    ...providerUrls,
    IDENTITY_TARGET: identityTarget,
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${contactsApp.rpcPort}`,
    SENDING_INFRA_TARGET: `127.0.0.1:${sendingApp.rpcPort}`,
    IMPORTS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: `127.0.0.1:${intake.rpcPort}`,
    TEST_RECIPIENT_ALLOWLIST: 'Ada@Allowed.test, @example.org',
    CAMPAIGN_WEBHOOK_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64url')}`,
    CAMPAIGN_WEBHOOK_ALLOW_PRIVATE: 'true',
    TEST_SEND_HOURLY_CAP: '1000',
    TEST_SEND_DAILY_CAP: '1000',
  }
  const api = await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'api' })
  const builder = () => stage.boot('campaigns-delivery', startBuilder, loadConfig, { ...env, ROLE: 'worker' })
  const building = await builder()
  const campaigns = await stage.client(CampaignsDelivery, api.rpcPort!)
  const contacts = await stage.client(ContactsConsent, contactsApp.rpcPort)
  const sending = await stage.client(SendingInfra, sendingApp.rpcPort)

  const workspaceId = newId()
  const us = stage.caller({ workspaceId, organization: 'acme', workspace: 'news' })
  let counter = 0

  const setGate = async (isOpen: boolean, name = 'production_sending_enabled') => {
    await stage.query(`update identity.platform_gates set stored = $1 where name = $2`, [isOpen, name])
    await stage.publish('gateway', GateChangedSchema, { name, effective: isOpen })
  }
  const setWorkspace = async (facts: { isArchived?: boolean; sending?: boolean }) => {
    const { isArchived = false, sending: productionSendingEnabled = true } = facts
    await stage.query(
      `update identity.workspaces set is_archived = $2, production_sending_enabled = $3 where id = $1`,
      [workspaceId, isArchived, productionSendingEnabled],
    )
    await stage.publish(
      'gateway',
      WorkspaceChangedSchema,
      { workspaceId, organization: 'acme', workspace: 'news', name: 'News', isArchived, productionSendingEnabled },
      { workspaceId },
    )
  }
  const sim = async (method: string, path: string, body?: object): Promise<Record<string, never>> => {
    const response = await fetch(`${provider.url}/sim${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    })
    return (await response.json()) as Record<string, never>
  }

  const organizationId = newId()
  await stage.query(`insert into identity.organizations (id, slug, name) values ($1, 'acme', 'Acme')`, [organizationId])
  await stage.query(
    `insert into identity.workspaces (id, organization_id, slug, name) values ($1, $2, 'news', 'News')`,
    [workspaceId, organizationId],
  )
  await setGate(true)
  await setWorkspace({})
  await until(
    async () =>
      (await stage.query('select 1 from contacts.workspaces where workspace_id = $1', [workspaceId])).length > 0,
  )

  const { providerConnection } = await sending.createProviderConnection(us, {
    name: 'main',
    credentialEnvKey: 'MAILPROVIDER_API_KEY',
    webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
  })
  const connectionId = providerConnection!.id
  await sending.checkProviderConnection(us, { connectionId })
  await sending.activateProviderConnection(us, { connectionId, confirmation: 'ENABLE TEST CONNECTION' })
  const { sendingDomain } = await sending.createSendingDomain(us, { domainName: 'mail.acme.test' })
  const domainId = sendingDomain!.id
  await sending.setSendingDomainReadiness(us, {
    domainId,
    quotaState: 'approved',
    updateMask: { paths: ['quota_state'] },
  })
  await sending.registerSendingDomainWebhooks(us, { domainId })
  const { senderIdentity } = await sending.createSenderIdentity(us, {
    sendingDomainId: domainId,
    displayName: 'Acme News',
    fromAddress: 'news@mail.acme.test',
    replyTo: 'hello@acme.test',
  })
  const senderId = senderIdentity!.id
  await sending.activateSenderIdentity(us, { senderId, confirmation: 'ACTIVATE PRODUCTION SENDING' })

  const rig = {
    /** where the role api of campaigns-delivery answers */
    apiTarget: `127.0.0.1:${api.rpcPort}`,
    stage,
    campaigns,
    contacts,
    sending,
    us,
    workspaceId,
    connectionId,
    domainId,
    senderId,
    baseUrl,
    providerUrl: provider.url,
    env,
    setGate,
    setWorkspace,
    sim,
    /** Starts another replica of the role `api`. */
    async api(more: Record<string, string> = {}) {
      const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'api', ...more })
      return stage.client(CampaignsDelivery, rpcPort!)
    },
    /** The part of a worker that builds snapshots. It runs from the beginning. */
    builder,
    stopBuilding: () => building.stop(),
    worker: (more: Record<string, string> = {}) =>
      stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'worker', ...more }),
    /** A worker that waits for the provider as long as no test takes, longer than its configuration allows. */
    patientWorker: (more: Record<string, string> = {}) =>
      stage.boot(
        'campaigns-delivery',
        start,
        (environment) => ({ ...loadConfig(environment), handOffTimeoutMs: 60_000 }),
        { ...env, ROLE: 'worker', ...more },
      ),
    /** Changes a row of sending-infra directly. */
    async changeSending(table: string, id: string, change: string) {
      await stage.query(`update sending.${table} set ${change} where id = $1`, [id])
    },
    async audience(minimumIntervalSeconds = 0) {
      counter += 1
      const { audience } = await contacts.createAudience(us, {
        name: 'Newsletter',
        slug: `newsletter-${counter}`,
        purpose: 'newsletter',
        minimumIntervalSeconds,
      })
      return audience!.id
    },
    /** Creates a contact who consented to this audience. */
    async subscriber(audienceId: string, email: string, firstName?: string) {
      const { upsertContact, subscribeContact } = patient(contacts)
      const { contact } = await upsertContact(us, {
        email,
        source: 'test',
        ...(firstName === undefined ? {} : { firstName }),
        updateMask: { paths: firstName === undefined ? [] : ['first_name'] },
      })
      const contactId = contact!.id
      await subscribeContact(us, { contactId, audienceId, source: 'form', wordingVersion: 'v1' })
      return contactId
    },
    /** Inserts this many contacts who consented to this audience directly into the tables. */
    members: (audienceId: string, count: number) =>
      stage.query(
        `with made as (
           insert into contacts.contacts (workspace_id, id, email, normalized_email)
           select $1, gen_random_uuid(), 'm' || n || '@example.com', 'm' || n || '@example.com' from generate_series(1, $3::int) n returning id)
         insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent)
         select $1, $2, id, true, 'granted' from made`,
        [workspaceId, audienceId, count],
      ),
    /** Creates a draft for an audience. */
    async draft(audienceId: string) {
      counter += 1
      const { emailTemplate } = await campaigns.createEmailTemplate(us, { name: 'Email', slug: `email-${counter}` })
      const { contentVersion } = await campaigns.createContentVersion(us, {
        templateId: emailTemplate!.id,
        subject: 'News for {{ first_name }}',
        html: '<p>Hello {{ first_name }}, <a href="https://acme.test/offer">look</a> or <a href="{{ unsubscribe_url }}">leave</a></p>',
        personalizationDefaults: { first_name: 'friend' },
      })
      const { campaign } = await campaigns.createCampaignDraft(us, {
        name: 'November',
        audienceId,
        senderIdentityId: senderId,
        contentVersionId: contentVersion!.id,
      })
      return { campaignId: campaign!.id, templateId: emailTemplate!.id, contentVersionId: contentVersion!.id }
    },
    /** Schedules a run. On a slow machine a request can arrive after a time that was near; then a later one is asked for. */
    async schedule(campaignId: string, options: { key?: string; inMs?: number; campaigns?: typeof campaigns } = {}) {
      const { key = newId(), inMs = 1_000, campaigns: api = campaigns } = options
      for (let aheadMs = inMs; ; aheadMs *= 4) {
        try {
          const { campaignRun } = await api.scheduleCampaign(us, {
            campaignId,
            scheduledFor: timestampFromDate(new Date(Date.now() + aheadMs)),
            idempotencyKey: key,
          })
          return campaignRun!
        } catch (error) {
          const isLate = error instanceof Fault && error.reason === 'scheduled_for'
          if (!isLate || aheadMs > 60_000) throw error
        }
      }
    },
    /** Lets a run begin that was scheduled for later, now that everything before it is done. */
    begin: (runId: string) =>
      stage.query('update campaigns.campaign_runs set scheduled_for = now() where id = $1', [runId]),
    /** Erases a contact, and waits for the services of this stage. automations, which is none of them, reports nothing. */
    async erased(contactId: string) {
      const { erasure } = await contacts.eraseContact(us, { contactId, confirmation: `ERASE ${contactId}` })
      return until(
        async () => {
          const now = (await contacts.getErasure(us, { erasureId: erasure!.id })).erasure!
          const here = now.services.filter(({ service }) => service !== 'automations')
          return here.length > 1 && here.every(({ state }) => state === 'completed') && now
        },
        { what: 'the erasure' },
      )
    },
    report: async (runId: string) => {
      const { campaignRun, report } = await campaigns.getCampaignRunReport(us, { runId })
      return { run: campaignRun!, report: report! }
    },
    messages: async () =>
      ((await sim('GET', '/messages?limit=1000')) as unknown as { messages: SimMessage[] }).messages,
    async close() {
      await stage.close()
      await Promise.all([provider.stop(), dns.stop(), wallet.stop()])
    },
  }
  return rig
}

export interface SimMessage {
  to: string
  subject: string
  html: string
  text: string
  headers: Record<string, string>
  variables: Record<string, string>
}

export type DeliveryStage = Awaited<ReturnType<typeof openDelivery>>
