import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { openStage, until } from '@lettergate/stage'
import { loadConfig as loadContactsConfig } from '@lettergate/contacts-consent/config'
import { schema as contactsSchema } from '@lettergate/contacts-consent/migrations'
import { start as startContacts } from '@lettergate/contacts-consent/service'
import { loadConfig as loadSendingConfig } from '@lettergate/sending-infra/config'
import { schema as sendingSchema } from '@lettergate/sending-infra/migrations'
import { start as startSending } from '@lettergate/sending-infra/service'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'

const nowhere = '127.0.0.1:9'
const provider = { MAILPROVIDER_US_BASE_URL: `http://${nowhere}`, MAILPROVIDER_EU_BASE_URL: `http://${nowhere}` }

/** The api role with the real contacts-consent and sending-infra, and two workspaces of different tenants. */
export async function openContent(more: readonly ServiceSchema[] = []) {
  const stage = await openStage({ schemas: [schema, contactsSchema, sendingSchema, ...more] })
  const keys = {
    BASE_URL: 'http://lettergate.test',
    PREFERENCE_SIGNING_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64url')}`,
    CONSENT_PROOF_SIGNING_KEY: `p1:${Buffer.alloc(32, 3).toString('base64url')}`,
    ERASURE_HASH_KEYS: `e1:${Buffer.alloc(32, 5).toString('base64url')}`,
  }
  const contactsApp = await stage.boot('contacts-consent', startContacts, loadContactsConfig, keys)
  const sendingApp = await stage.boot('sending-infra', startSending, loadSendingConfig, {
    ...keys,
    ...provider,
    IDENTITY_TARGET: nowhere,
  })
  const app = await stage.boot('campaigns-delivery', start, loadConfig, {
    ROLE: 'api',
    ...provider,
    IDENTITY_TARGET: nowhere,
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${contactsApp.rpcPort}`,
    SENDING_INFRA_TARGET: `127.0.0.1:${sendingApp.rpcPort}`,
    IMPORTS_TARGET: nowhere,
    WEBHOOK_INTAKE_TARGET: nowhere,
  })
  const contacts = await stage.client(ContactsConsent, contactsApp.rpcPort)
  const campaigns = await stage.client(CampaignsDelivery, app.rpcPort ?? 0)

  const workspace = async () => {
    const workspaceId = newId()
    await stage.publish(
      'gateway',
      WorkspaceChangedSchema,
      { workspaceId, organization: 'acme', workspace: 'news', name: 'News', isArchived: false },
      { workspaceId },
    )
    await until(
      async () =>
        (await stage.query('select 1 from contacts.workspaces where workspace_id = $1', [workspaceId])).length > 0,
    )
    return stage.caller({ workspaceId })
  }
  const us = await workspace()
  const them = await workspace()
  let counter = 0

  /** The metrics of the api. */
  const metrics = async () => (await fetch(`http://127.0.0.1:${app.healthPort}/metrics`)).text()

  return {
    metrics,
    stage,
    contacts,
    campaigns,
    us,
    them,
    contactsApp,
    campaignsApp: app,
    async template(caller = us) {
      counter += 1
      const { emailTemplate } = await campaigns.createEmailTemplate(caller, {
        name: 'Email',
        slug: `email-${counter}`,
      })
      return emailTemplate!.id
    },
    async content(caller = us, html = '<p>Hi {{ first_name }} <a href="{{ unsubscribe_url }}">leave</a></p>') {
      const templateId = await this.template(caller)
      const { contentVersion } = await campaigns.createContentVersion(caller, { templateId, subject: 'Hello', html })
      return contentVersion!.id
    },
    async audience(caller = us) {
      counter += 1
      const { audience } = await contacts.createAudience(caller, {
        name: 'Readers',
        slug: `readers-${counter}`,
        purpose: 'newsletter',
        minimumIntervalSeconds: 0,
      })
      return audience!.id
    },
    archiveAudience: (id: string) =>
      stage.query('update contacts.audiences set archived_at = now() where id = $1', [id]),
    /** Inserts a sender as sending-infra stores it. Its rpc would need a provider, which drafts do not. */
    async sender(caller = us) {
      const domainId = newId()
      const id = newId()
      const { workspaceId } = caller.caller
      await stage.query(
        `insert into sending.sending_domains (id, workspace_id, domain_name, provider_records, created_by) values ($1, $2, $3, '[]', 'test')`,
        [domainId, workspaceId, `d${domainId}.test`],
      )
      await stage.query(
        `insert into sending.sender_identities (id, workspace_id, sending_domain_id, display_name, from_address, reply_to, created_by) values ($1, $2, $3, 'A', 'a@a.test', 'a@a.test', 'test')`,
        [id, workspaceId, domainId],
      )
      return id
    },
    /** All fields of a draft for one audience. */
    async draftRequest(caller = us) {
      return {
        name: 'Spring',
        audienceId: await this.audience(caller),
        senderIdentityId: await this.sender(caller),
        contentVersionId: await this.content(caller),
      }
    },
    close: () => stage.close(),
  }
}

/** An id that does not exist. */
export const nobody = '00000000-0000-7000-8000-000000000000'
