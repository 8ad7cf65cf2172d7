import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { gatewayStage, lab, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, contact, subscriber } from '@lettergate/gateway/test/people-and-senders'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())
afterEach(() => gateway.stage.clock.release())

interface Eligibility {
  eligible: boolean
  reasons: string[]
  evaluated_at: string
}

const ask = (contactId: string, audienceId: string, as = 'analyst', workspace = newsletter) =>
  gateway.call('GET', `${workspace}/contacts/${contactId}/eligibility/${audienceId}`, { as })

async function made(path: string, body: object): Promise<Record<string, unknown>> {
  const { status, json, text } = await gateway.call('POST', path, { as: 'owner', body })
  expect([path, status < 300 ? '' : text]).toEqual([path, ''])
  return json
}

test('the answer has the verdict, the contact, the audience and the time', async () => {
  const audienceId = await audience(gateway)
  const { contactId } = await subscriber(gateway, audienceId)
  const { status, json } = await ask(contactId, audienceId)
  const [workspace] = await gateway.stage.query<{ workspace_id: string }>(
    "select workspace_id from contacts.workspaces where organization = 'acme' and slug = 'newsletter'",
  )
  expect([status, json]).toEqual([
    200,
    {
      eligibility: {
        eligible: true,
        reasons: [],
        contact_id: contactId,
        audience_id: audienceId,
        workspace_id: workspace!.workspace_id,
        evaluated_at: expect.any(String),
      },
    },
  ])
})

test('it has every reason, in order, and sends nothing', async () => {
  const tag = randomUUID().slice(0, 8)
  const address = { email: `all.${tag}@b.test`, source: 'test' }
  const { contact: person } = await made(`${lab}/contacts/upsert`, { ...address, is_legacy: true })
  const { audience: monthly } = await made(`${lab}/audiences`, {
    name: 'Monthly',
    slug: `monthly-${tag}`,
    purpose: 'tests',
    minimum_interval_seconds: 3_600,
  })
  const [{ id: contactId }, { id: audienceId }] = [person as { id: string }, monthly as { id: string }]
  const told = async () => ((await ask(contactId, audienceId, 'owner', lab)).json['eligibility'] as Eligibility).reasons
  expect(await told()).toEqual(['workspace_archived', 'consent_missing', 'legacy_consent_unverified', 'not_subscribed'])

  await made(`${lab}/audiences/${audienceId}/unsubscribe`, { contact_id: contactId })
  for (const scope of ['workspace', 'platform']) {
    await made(`${lab}/contacts/${contactId}/suppress`, { scope, reason: 'legal' })
  }
  await made(`${lab}/audiences/${audienceId}/archive`, {})
  await gateway.stage.query(
    'update contacts.memberships set under_review_since = now(), last_handed_off_at = now() where contact_id = $1',
    [contactId],
  )
  expect(await told()).toEqual([
    'workspace_archived',
    'audience_archived',
    'suppressed_platform',
    'suppressed_workspace',
    'suppressed_audience',
    'consent_withdrawn',
    'consent_under_review',
    'legacy_consent_unverified',
    'not_subscribed',
    'minimum_interval_not_elapsed',
  ])
})

test('the time is that of the database, not of the service', async () => {
  const audienceId = await audience(gateway)
  const { contactId } = await subscriber(gateway, audienceId)
  const now = async () => {
    const [row] = await gateway.stage.query<{ ms: number }>(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    )
    return row!.ms
  }
  gateway.stage.clock.advance(3_650 * 86_400_000)
  const before = await now()
  const { evaluated_at: at } = (await ask(contactId, audienceId)).json['eligibility'] as Eligibility
  expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  expect(Date.parse(at)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(at)).toBeLessThanOrEqual(await now())
})

test('a missing object, one of another workspace and an invalid id are 404 with the same page', async () => {
  const audienceId = await audience(gateway)
  const { contactId } = await subscriber(gateway, audienceId)
  const there = await made(`${lab}/contacts/upsert`, { email: 'there@b.test', source: 'test' })
  const foreign = (there['contact'] as { id: string }).id
  const gone = await contact(gateway)
  await gateway.stage.query('delete from contacts.contacts where id = $1', [gone])
  const pages = new Set<string>()
  for (const [person, audience] of [
    [randomUUID(), audienceId],
    [foreign, audienceId],
    [gone, audienceId],
    ['x', audienceId],
    [contactId, randomUUID()],
    [contactId, contactId],
    [contactId, 'x'],
    [randomUUID(), randomUUID()],
  ] as const) {
    const { status, text, headers } = await ask(person, audience)
    expect([person, audience, status]).toEqual([person, audience, 404])
    pages.add(text.replaceAll(headers.get('x-correlation-id')!, ''))
  }
  expect(pages.size).toBe(1)
  const path = `${newsletter}/contacts/${contactId}/eligibility/${audienceId}`
  expect((await gateway.call('GET', path)).status).toBe(401)
  expect((await gateway.call('POST', path, { as: 'owner' })).status).toBe(405)
})
