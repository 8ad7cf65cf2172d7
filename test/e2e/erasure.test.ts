import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApi, signInAs, type Api } from '@lettergate/demo/api'
import { inboxOf } from '@lettergate/demo/inbox'
import { prepareSending } from '@lettergate/demo/prepare-sending'
import { runCampaign } from '@lettergate/demo/run-campaign'
import { signUp } from '@lettergate/demo/sign-up'
import { verifyConsent } from '@lettergate/demo/verify-consent'
import { until } from '@lettergate/stage'
import {
  asContact,
  atConsole,
  columnsOfPeople,
  foundIn,
  people,
  queryOf,
  searchTables,
  workspace,
  type Query,
} from './erased-people.ts'
import { streamTexts } from './nats-streams.ts'
import { ownStack, type OwnStack } from './own-stack.ts'
import { pauseEnrollment, publishWait } from './paused-enrollment.ts'
import { postProviderEvent } from './post-provider-event.ts'

/**
 * Contacts get data in everything that stores personal data and are erased while two services are down. The test then
 * searches their data in every table, every message of every stream and every log. Tables and columns come from the
 * catalogue, so that later ones are also searched.
 */

const origin = 'https://www.acme.test'

const [complaining, bouncing, signedUp] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]

interface Erasure {
  id: string
  state: string
  services: { service: string; state: string; removed: Record<string, number> }[]
}

let own: OwnStack
let api: Api
let operator: Api
let form: Api
let audienceId: string
let connectionId: string
let runId: string
let directory: string
let messageId: string
const contactIds = new Map<string, string>()
const query: Query = (text, parameters) => queryOf(own.stack().database_url, text, parameters)

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'lettergate-erasure-'))
  own = await ownStack({
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    TEST_SENDS_ENABLED: 'true',
    TEST_RECIPIENT_ALLOWLIST: '@sentinel-mail.test',
    LOG_LEVEL: 'debug',
  })
  await own.ok('up')
  const { base_url: baseUrl } = own.stack()
  api = openApi(baseUrl, { authorization: 'Bearer wallet-session-dev-owner' })
  operator = openApi(baseUrl, await signInAs('owner', baseUrl))
})
afterAll(async () => {
  await Promise.all([api, operator, form].map((one) => one?.close()))
  await own.close()
  rmSync(directory, { recursive: true, force: true })
})

const post = <T>(path: string, body: object, key?: string) =>
  api.ok<T>('POST', `${workspace}${path}`, body, key === undefined ? {} : { 'idempotency-key': key })
const erase = (contactId: string) =>
  operator.ok<{ erasure: Erasure }>('POST', `${atConsole}/contacts/${contactId}/erase`, {
    confirmation: `ERASE ${contactId}`,
  })
const erasureOf = async (id: string) =>
  (await operator.ok<{ erasure: Erasure }>('GET', `${atConsole}/erasures/${id}`)).erasure
const reportNow = async () =>
  (await api.ok<{ report: Record<string, number> }>('GET', `${workspace}/campaign-runs/${runId}/report`)).report
const processOf = (name: string, role: string) =>
  own.stack().processes.find((one) => one.name === name && one.role === role)!

test('contacts with data in everything that stores personal data', async () => {
  const { senderId } = await prepareSending(api, workspace, own.stack(), () => undefined)
  await operator.ok('PUT', '/console/api/platform/gates/test_sends_enabled', { enabled: true })
  const { audience } = await post<{ audience: { id: string } }>('/audiences', { name: 'L', slug: 'l', purpose: 'test' })
  audienceId = audience.id
  const { credential } = await operator.ok<{ credential: string }>('POST', `${atConsole}/subscription-sources`, {
    slug: 'website',
    display_name: 'Website',
    allowed_origins: [origin],
    allowed_audience_ids: [audienceId],
  })
  form = openApi(own.stack().base_url, { authorization: `Bearer ${credential}` })
  const claim = signUp(audienceId, signedUp.email, origin)
  await form.ok(
    'POST',
    `${workspace}/subscription-sources/website/events`,
    {
      ...claim,
      contact: { ...claim.contact, first_name: signedUp.first, last_name: signedUp.last },
      source: { ...claim.source, page_path: `/for/${signedUp.first}` },
    },
    { 'idempotency-key': `form-${signedUp.email}` },
  )
  const automationId = await publishWait({ api, operator, audienceId })
  await post('/contact-field-definitions', { field_key: 'nickname', label: 'Nickname', field_type: 'text' })
  for (const { email, first, last } of people) {
    const { contact } = await post<{ contact: { id: string } }>('/contacts/upsert', asContact({ email, first, last }))
    contactIds.set(email, contact.id)
    await post('/contacts/upsert', { email, is_legacy: false, source: 'crm' })
    await post(`/audiences/${audienceId}/subscribe`, {
      contact_id: contact.id,
      source: 'form',
      wording_version: '1',
      evidence: { ip: '192.0.2.7', name: `${first} ${last}` },
    })
  }
  const contactId = contactIds.get(bouncing.email)!
  await pauseEnrollment({ api, query, automationId, contactId, reason: `${bouncing.first} asked for it` })
  const { suppression_id: suppressionId } = await post<{ suppression_id: string }>(`/contacts/${contactId}/suppress`, {
    scope: 'workspace',
    reason: 'manual',
    evidence: { note: `${bouncing.first} wrote` },
  })
  await post(`/suppressions/${suppressionId}/resolve`, { resolution_reason: `${bouncing.first} wrote again` })
  await api.call('GET', `${workspace}/contacts/lookup?email=${encodeURIComponent(bouncing.email)}`)
  await operator.ok('GET', `${atConsole}/contacts?search=${encodeURIComponent(bouncing.first.toLowerCase())}`)

  const run = await runCampaign({ api, workspace, round: 1, print: () => undefined }, { audienceId, senderId })
  expect(run.sent_count).toBe(people.length)
  runId = run.id
  const { content_version_id: contentVersionId } = await contentOf()
  const parts = { sender_identity_id: senderId, content_version_id: contentVersionId }
  const test = { ...parts, recipient_email: signedUp.email, confirmation: 'SEND TEST EMAIL' }
  await post('/test-sends', test, randomUUID())
  await post('/rehearsals', { ...test, confirmation: 'RUN CONTROLLED REHEARSAL' }, randomUUID())
  await until(
    async () => {
      const { hard_bounced: bounced, complained, opened_recipients: opened } = await reportNow()
      return bounced === 1 && complained === 1 && opened === 1
    },
    { what: 'the events of the provider' },
  )
  const [message] = await inboxOf(own.stack(), signedUp.email.toLowerCase())
  const [, oneClick] = /<([^>]+)>/.exec(
    new Map(Object.entries(message!.headers).map(([name, value]) => [name.toLowerCase(), value])).get(
      'list-unsubscribe',
    )!,
  )!
  expect((await fetch(oneClick!, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200)
  const { rows: connections } = await query('select id from sending.provider_connections')
  connectionId = connections[0]!['id']!
  const ofPerson = 'select id from campaigns.run_recipients where contact_id = $1'
  messageId = (await query(ofPerson, [contactIds.get(complaining.email)])).rows[0]!['id']!
  await providerSays(complaining.email, 'temporary_fail')
  const { provider_events: events } = await operator.ok<{ provider_events: { id: string }[] }>(
    'GET',
    `${atConsole}/provider-events?limit=5`,
  )
  await post(`/provider-events/${events[0]!.id}/replay`, {})

  // The search finds their data before the erasure, in every service that stores some.
  const columns = new Set((await searchTables(query)).map((one) => one.split(' ')[0]))
  for (const column of columnsOfPeople) expect(columns).toContain(column)
})

/** The content that the run sent. */
async function contentOf() {
  const { rows } = await query('select content_version_id from campaigns.campaign_runs where id = $1', [runId])
  return rows[0] as { content_version_id: string }
}

/** One signed event about the message of the contact who complained. */
const providerSays = (email: string, event: string) =>
  postProviderEvent(own.stack(), { connectionId, messageId, email, event })

test('an erasure is completed although services that take part are down when it is requested', async () => {
  const killed = [processOf('campaigns-delivery', 'worker'), processOf('webhook-intake', 'service')]
  for (const { pid } of killed) process.kill(pid, 'SIGKILL')
  const before = await reportNow()
  const erasures = []
  for (const contactId of contactIds.values()) erasures.push((await erase(contactId)).erasure)
  for (const { state, services } of erasures) {
    expect([state, ...services.map((one) => one.state)]).toEqual([
      'running',
      'completed',
      'running',
      'running',
      'running',
    ])
  }
  process.kill(processOf('contacts-consent', 'service').pid, 'SIGKILL')
  await own.ok('up')
  for (const { id } of erasures)
    await until(async () => (await erasureOf(id)).state === 'completed', { what: 'the erasure' })

  const first = await erasureOf(erasures[0]!.id)
  expect(first.services.map(({ service, state }) => [service, state])).toEqual([
    ['contacts-consent', 'completed'],
    ['campaigns-delivery', 'completed'],
    ['webhook-intake', 'completed'],
    ['automations', 'completed'],
  ])
  const [contacts, campaigns, webhooks] = first.services.map(({ removed }) => removed)
  expect(contacts).toMatchObject({ contacts: 1, memberships: 1, contact_sources: 1 })
  expect(campaigns).toMatchObject({ run_recipients: 1 })
  expect(webhooks!['provider_events']).toBeGreaterThan(1)
  expect((await erasureOf(erasures[1]!.id)).services[3]!.removed).toEqual({ enrollment_reasons: 1, compared_values: 0 })
  const last = await erasureOf(erasures[2]!.id)
  expect(last.services[1]!.removed).toMatchObject({ run_recipients: 1, test_sends: 2 })
  expect((await erase(contactIds.get(complaining.email)!)).erasure.id).toBe(first.id)
  expect(await reportNow()).toEqual(before)
})

test('an event that the provider sends after the erasure is settled by its id and stored without the address', async () => {
  await providerSays(complaining.email, 'opened')
  await until(async () => (await reportNow())['opened_recipients'] === 2, { what: 'the late event' })
})

test('the address, its hashes and the names are in no table', async () => {
  expect(await searchTables(query)).toEqual([])
})

test('no message in any stream has their data', async () => {
  const texts = streamTexts(own)
  // The events of the erasures are in the files, so the right files were read.
  expect(texts.join()).toContain('events.contacts-consent.contact_erased')
  expect(texts.flatMap(foundIn)).toEqual([])
})

test('no log of a service has their data', async () => {
  const logs = own.stack().processes.filter(({ name }) => name !== 'mail-provider' && name !== 'wallet')
  for (const { name, role, log } of logs) {
    const text = readFileSync(log, 'utf8')
    expect(text.length).toBeGreaterThan(0)
    expect([name, role, foundIn(text)]).toEqual([name, role, []])
  }
})

test('their consent record is still intact, and there is no alert', async () => {
  const { keys } = await operator.ok<{ keys: { fingerprint: string }[] }>('GET', `${atConsole}/consent-proof-keys`)
  for (const contactId of contactIds.values()) {
    const { proof } = await operator.ok<{ proof: object }>('GET', `${atConsole}/contacts/${contactId}/consent-proof`)
    const file = join(directory, `${contactId}.json`)
    writeFileSync(file, JSON.stringify(proof))
    expect((await verifyConsent(file, keys[0]!.fingerprint)).status).toBe(0)
    expect(foundIn(JSON.stringify(proof))).toEqual([])
  }
  const { alerts } = await operator.ok<{ alerts: { code: string }[] }>('GET', '/console/api/platform/alerts')
  expect(alerts.map(({ code }) => code)).not.toContain('consent_record_broken')
})

test('an erased address that returns is suppressed: by an upsert, by a form, by a test message', async () => {
  const eligibility = async (contactId: string) =>
    (
      await api.ok<{ eligibility: { reasons: string[] } }>(
        'GET',
        `${workspace}/contacts/${contactId}/eligibility/${audienceId}`,
      )
    ).eligibility.reasons
  const { contact } = await post<{ contact: { id: string } }>('/contacts/upsert', {
    email: ` ${bouncing.email.toUpperCase()}`,
    source: 'crm',
    source_identifier: `crm-${bouncing.email}`,
  })
  expect(contact.id).not.toBe(contactIds.get(bouncing.email))
  expect(await eligibility(contact.id)).toContain('suppressed_workspace')
  const taken = await form.ok<{ status: string; audience_membership_active: boolean }>(
    'POST',
    `${workspace}/subscription-sources/website/events`,
    signUp(audienceId, signedUp.email.toLowerCase(), origin),
    { 'idempotency-key': randomUUID() },
  )
  expect(taken).toMatchObject({ status: 'suppressed', audience_membership_active: false })
  const { content_version_id: contentVersionId } = await contentOf()
  const { rows } = await query('select id from sending.sender_identities')
  const refused = await api.call(
    'POST',
    `${workspace}/test-sends`,
    {
      sender_identity_id: rows[0]!['id']!,
      content_version_id: contentVersionId,
      recipient_email: complaining.email,
      confirmation: 'SEND TEST EMAIL',
    },
    { 'idempotency-key': randomUUID() },
  )
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('suppressed')])
})
