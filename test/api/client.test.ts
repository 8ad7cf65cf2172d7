import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  bearer,
  browserSession,
  idempotencyKey,
  inWorkspace,
  openApi,
  serviceKey,
  type ApiWorkspaceClient,
} from '@lettergate/client'
import { openConsole } from '@lettergate/client/console'
import { signIn } from '@lettergate/gateway/test/console-session'
import { until } from '@lettergate/stage'
import { readyToSend, type ReadyStage } from './ready-to-send.ts'

let ready: ReadyStage
beforeAll(async () => {
  ready = await readyToSend()
})
afterAll(() => ready.gateway.close())

const apiAs = (user: string) =>
  openApi({ baseUrl: ready.gateway.baseUrl, credential: bearer(`wallet-session-dev-${user}`), attemptsMax: 1 })
const as = (user: string): ApiWorkspaceClient => inWorkspace(apiAs(user), 'acme/newsletter')

/** The data of a success. */
async function data<Output>(
  answer: Promise<{ ok: true; data: Output } | { ok: false; message: string }>,
): Promise<Output> {
  const result = await answer
  if (!result.ok) throw new Error(result.message)
  return result.data
}

test('the public operations need no credential', async () => {
  const api = openApi({ baseUrl: `${ready.gateway.baseUrl}/` })
  expect(await api.getHealth()).toMatchObject({ ok: true, status: 200, data: { status: 'ok' } })
  expect(await api.getMe()).toMatchObject({ ok: false, status: 401, reason: 'no_credential' })
})

test('a contact is added, subscribed and eligible, and a campaign to it is drafted and scheduled once for a key', async () => {
  const editor = as('editor')
  const { contact } = await data(editor.upsertContact({ body: { email: 'ada+news@example.org', source: 'test' } }))
  const { audience } = await data(editor.createAudience({ body: { name: 'N', slug: 'client-news', purpose: 'tests' } }))
  const subscription = { contact_id: contact.id, source: 'test', wording_version: '1' }
  await data(editor.subscribeContact({ audience_id: audience.id, body: subscription }))
  const found = await data(as('analyst').lookupContact({ email: 'ada+news@example.org' }))
  expect(found.contact.id).toBe(contact.id)
  const { eligibility } = await data(editor.getEligibility({ contact_id: contact.id, audience_id: audience.id }))
  expect(eligibility).toMatchObject({ eligible: true, reasons: [] })

  const draft = {
    name: 'News',
    audience_id: audience.id,
    sender_identity_id: ready.senderId,
    content_version_id: ready.contentVersionId,
  }
  const { campaign } = await data(editor.createCampaignDraft({ body: draft }))
  const schedule = {
    campaign_id: campaign.id,
    body: { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
    idempotency_key: idempotencyKey(),
  }
  const first = await data(editor.scheduleCampaign(schedule))
  const again = await data(editor.scheduleCampaign(schedule))
  expect(again.campaign_run.id).toBe(first.campaign_run.id)
  await until(
    async () =>
      (await data(editor.getCampaignRun({ run_id: first.campaign_run.id }))).campaign_run.included_count === 1,
  )
})

test('a refusal is a value with its status, reason, message and correlation id', async () => {
  const correlationId = 'client-test-1'
  const refused = await as('analyst').upsertContact({ body: { email: 'a@b.test', source: 'test' } }, { correlationId })
  expect(refused).toEqual({
    ok: false,
    status: 403,
    reason: 'upsert_contacts',
    message: expect.stringContaining('upsert_contacts'),
    correlationId,
  })
  const invalid = await as('editor').upsertContact({ body: { email: 'no', source: '' } })
  expect(invalid).toMatchObject({ ok: false, status: 422, reason: 'invalid_email' })
  if (!invalid.ok)
    expect(invalid.message.split('\n')).toEqual([expect.stringContaining('email'), expect.stringContaining('source')])
  expect(await as('outsider').listAudiences()).toMatchObject({ ok: false, status: 404, reason: 'not_found' })
})

test('a service key reaches what it may, and nothing else', async () => {
  const service = inWorkspace(
    openApi({ baseUrl: ready.gateway.baseUrl, credential: serviceKey('test-service-key', 'editor') }),
    'acme/newsletter',
  )
  expect(await service.createEmailTemplate({ body: { name: 'S', slug: 'client-service' } })).toMatchObject({ ok: true })
  expect(await service.listAudiences()).toMatchObject({ ok: false, status: 403 })
})

test('a browser session reaches the console, and needs its CSRF token for changes', async () => {
  const browser = await signIn(ready.gateway, 'owner')
  const withCookie: typeof fetch = (address, init) =>
    fetch(address, { ...init, headers: { ...(init?.headers as Record<string, string>), cookie: browser.cookie } })
  const options = { baseUrl: ready.gateway.baseUrl, fetch: withCookie }
  const me = await data(openApi({ ...options, credential: browserSession(() => null) }).getMe())
  const at = (token: string | null) =>
    inWorkspace(openConsole({ ...options, credential: browserSession(() => token) }), 'acme/newsletter')
  expect((await data(at(me.csrf_token).registerTag({ body: { name: 'pioneer' } }))).tag.name).toBe('pioneer')
  expect(await at(null).registerTag({ body: { name: 'other' } })).toMatchObject({
    ok: false,
    status: 403,
    reason: 'csrf_token',
  })
  expect((await data(at(null).listTags())).tags.map(({ name }) => name)).toContain('pioneer')
})

test('an address that nobody answers is a value, too, and never shows the credential', async () => {
  const nowhere = openApi({
    baseUrl: 'http://127.0.0.1:9',
    credential: bearer('wallet-session-dev-owner'),
    attemptsMax: 2,
  })
  const result = await nowhere.getMe()
  expect(result).toMatchObject({
    ok: false,
    status: 0,
    reason: 'unreachable',
    correlationId: expect.stringMatching(/.{8}/),
  })
  expect(JSON.stringify(result)).not.toContain('wallet-session')
  const cancelled = await apiAs('owner').getMe({}, { signal: AbortSignal.abort() })
  expect(cancelled).toMatchObject({ ok: false, status: 0, reason: 'cancelled' })
})

test('a read is repeated while the wallet does not answer, and a change is not', async () => {
  let calls = 0
  const counting: typeof fetch = (address, init) => {
    calls += 1
    return fetch(address, init)
  }
  const api = inWorkspace(
    openApi({
      baseUrl: ready.gateway.baseUrl,
      credential: bearer('wallet-session-dev-editor'),
      fetch: counting,
      attemptsMax: 2,
    }),
    'acme/newsletter',
  )
  await ready.gateway.lever('/dev/outage', { enabled: true })
  try {
    expect(await api.listAudiences()).toMatchObject({ ok: false, status: 503 })
    expect(calls).toBe(2)
    expect(await api.createAudience({ body: { name: 'N', slug: 'n', purpose: 'p' } })).toMatchObject({
      ok: false,
      status: 503,
    })
    expect(calls).toBe(3)
  } finally {
    await ready.gateway.lever('/dev/outage', { enabled: false })
  }
})

test('a workspace that is written wrongly throws at once', () => {
  expect(() => as('owner') && inWorkspace(apiAs('owner'), 'newsletter')).toThrow('organization/workspace')
  expect(() => openApi({ baseUrl: 'ftp://example.org' })).toThrow('http or https')
})
