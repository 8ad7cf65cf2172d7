import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { loadConfig as loadContactsConfig } from '@lettergate/contacts-consent/config'
import { schema as contactsSchema } from '@lettergate/contacts-consent/migrations'
import { start as startContacts } from '@lettergate/contacts-consent/service'
import { newId } from '@lettergate/database'
import { loadConfig as loadGatewayConfig } from '@lettergate/gateway/config'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import { start as startGateway } from '@lettergate/gateway/service'
import { loadConfig as loadSendingConfig } from '@lettergate/sending-infra/config'
import { schema as sendingSchema } from '@lettergate/sending-infra/migrations'
import { start as startSending } from '@lettergate/sending-infra/service'
import { parseSealingKeys } from '@lettergate/sealing'
import type { CallScope } from '@lettergate/service'
import { openStage, until } from '@lettergate/stage'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { chunkCipher, newDataKey } from '../src/payload/chunk-cipher.ts'
import { sealPayloadKey } from '../src/payload/payload-key.ts'
import { start } from '../src/service.ts'

const nobody = '127.0.0.1:9'
const baseUrl = 'http://127.0.0.1:9'
const providerUrls = { MAILPROVIDER_US_BASE_URL: baseUrl, MAILPROVIDER_EU_BASE_URL: baseUrl }
const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64url')}`

export const importKeys = key('k1', 6)
export const unknownId = '0190a3a0-0000-7000-8000-000000000000'

export type ImportsStage = Awaited<ReturnType<typeof openImports>>

/** imports with the services that it asks, one workspace, and all gates closed. */
export async function openImports() {
  const stage = await openStage({ schemas: [schema, contactsSchema, sendingSchema, identitySchema] })
  const contactsApp = await stage.boot('contacts-consent', startContacts, loadContactsConfig, {
    BASE_URL: baseUrl,
    PREFERENCE_SIGNING_KEYS: key('k1', 1),
    CONSENT_PROOF_SIGNING_KEY: key('p1', 3),
    ERASURE_HASH_KEYS: key('e1', 5),
  })
  const gatewayEnv = {
    BASE_URL: baseUrl,
    WALLET_BASE_URL: baseUrl,
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    TEST_SENDS_ENABLED: 'true',
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${contactsApp.rpcPort}`,
    SENDING_INFRA_TARGET: nobody,
    CAMPAIGNS_DELIVERY_TARGET: nobody,
    IMPORTS_TARGET: nobody,
    AUTOMATIONS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: nobody,
  }
  const gateway = await stage.boot('gateway', startGateway, loadGatewayConfig, gatewayEnv)
  const identityTarget = `127.0.0.1:${gateway.rpcPort}`
  const sendingApp = await stage.boot('sending-infra', startSending, loadSendingConfig, {
    ...providerUrls,
    BASE_URL: baseUrl,
    IDENTITY_TARGET: identityTarget,
  })
  const env = {
    IDENTITY_TARGET: identityTarget,
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${contactsApp.rpcPort}`,
    SENDING_INFRA_TARGET: `127.0.0.1:${sendingApp.rpcPort}`,
    IMPORT_KEYS: importKeys,
  }
  const api = await stage.boot('imports', start, loadConfig, { ...env, ROLE: 'api' })

  const workspaceId = newId()
  const us = stage.caller({ workspaceId, organization: 'acme', workspace: 'news' })
  const organizationId = newId()
  await stage.query(`insert into identity.organizations (id, slug, name) values ($1, 'acme', 'Acme')`, [organizationId])
  await stage.query(
    `insert into identity.workspaces (id, organization_id, slug, name) values ($1, $2, 'news', 'News')`,
    [workspaceId, organizationId],
  )
  await stage.publish(
    'gateway',
    WorkspaceChangedSchema,
    { workspaceId, organization: 'acme', workspace: 'news', name: 'News' },
    { workspaceId },
  )
  await until(
    async () =>
      (await stage.query('select 1 from contacts.workspaces where workspace_id = $1', [workspaceId])).length > 0,
  )

  return {
    stage,
    env,
    start,
    loadConfig,
    api,
    us,
    /** a caller of another workspace */
    them: stage.caller({ workspaceId: newId() }),
    workspaceId,
    imports: await stage.client(Imports, api.rpcPort!),
    contacts: await stage.client(ContactsConsent, contactsApp.rpcPort),
    worker: (more: Record<string, string> = {}) =>
      stage.boot('imports', start, loadConfig, { ...env, ...more, ROLE: 'worker' }),
    /** Stores an import as the upload leaves it, with one chunk for each text. Answers its id. */
    async stored(chunks: readonly string[] = ['email\n', 'ada@example.com\n'], scope: CallScope = us): Promise<string> {
      const owner = { workspace_id: scope.caller.workspaceId!, id: newId() }
      const dataKey = newDataKey()
      const cipher = chunkCipher(dataKey, owner)
      for (const [position, text] of chunks.entries()) {
        const ciphertext = cipher.encrypt({ position, isLast: position === chunks.length - 1 }, Buffer.from(text))
        await stage.query(
          'insert into imports.import_chunks (workspace_id, job_id, position, ciphertext) values ($1, $2, $3, $4)',
          [owner.workspace_id, owner.id, position, ciphertext],
        )
      }
      const sealedKey = sealPayloadKey(parseSealingKeys(importKeys), owner, dataKey)
      const size = Buffer.byteLength(chunks.join(''))
      await stage.query(
        `insert into imports.import_jobs (workspace_id, id, audience_id, filename, source_label, file_sha256, payload_size, chunk_count,
           sealed_key, encoding, delimiter, headers, requested_by_wallet_id, correlation_id, expires_at)
         values ($1, $2, $3, 'people.csv', 'CRM', $4, $5, $6, $7, 'utf-8', ',', '["email"]', 'tester', 'test', now() + interval '72 hours')`,
        [owner.workspace_id, owner.id, newId(), 'a'.repeat(64), size, chunks.length, sealedKey],
      )
      return owner.id
    },
    /** A second gateway, in an environment whose ceiling for production sending is open. Answers its address and how to stop it. */
    async gatewayWithOpenCeiling() {
      const env = { ...gatewayEnv, ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' }
      const opened = await stage.boot('gateway', startGateway, loadGatewayConfig, env)
      return { identityTarget: `127.0.0.1:${opened.rpcPort}`, stop: () => opened.stop() }
    },
    /** Opens or closes a platform gate. Its ceiling is part of the environment. */
    setGate: (name: string, isOpen: boolean) =>
      stage.query('update identity.platform_gates set stored = $1 where name = $2', [isOpen, name]),
    close: () => stage.close(),
  }
}
