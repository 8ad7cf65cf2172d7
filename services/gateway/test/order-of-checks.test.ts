import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { timesAsked, withoutDatabase } from './neighbours.ts'
import { audience, contact } from './people-and-senders.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

const id = '0190a3a0-0000-7000-8000-000000000000'
const suppress = `${newsletter}/contacts/${id}/suppress`

describe('checks run in the order of the contract', () => {
  test('an unknown route is 404, with or without credentials', async () => {
    for (const as of [undefined, 'owner']) {
      const { status } = await gateway.call('GET', '/api/v1/nothing', as === undefined ? {} : { as })
      expect(status).toBe(404)
    }
  })

  test('a wrong method is 405 with Allow, before authentication', async () => {
    const { status, headers } = await gateway.call('DELETE', `${newsletter}/contacts/upsert`)
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('POST')
    const me = await gateway.call('OPTIONS', '/api/v1/me')
    expect(me.status).toBe(405)
    expect(me.headers.get('allow')).toBe('GET, HEAD')
  })

  test('401 comes before the workspace, the capability and the body', async () => {
    const { status } = await gateway.call('POST', suppress.replace('acme', 'nowhere'), { body: '{' })
    expect(status).toBe(401)
  })

  test('404 for the workspace comes before the capability and the body', async () => {
    expect((await gateway.call('POST', suppress, { as: 'outsider', body: '{' })).status).toBe(404)
  })

  test('403 comes before the content type, the body and the id in the path', async () => {
    const { status } = await gateway.call('POST', suppress.replace(id, 'no-id'), {
      as: 'editor',
      body: '{',
      headers: { 'content-type': 'text/plain' },
    })
    expect(status).toBe(403)
  })

  test('the body comes before the id in the path', async () => {
    const path = suppress.replace(id, 'no-id')
    expect((await gateway.call('POST', path, { as: 'admin', body: '{' })).status).toBe(400)
    expect((await gateway.call('POST', path, { as: 'admin', body: {} })).status).toBe(422)
    expect(
      (await gateway.call('POST', path, { as: 'admin', body: { scope: 'workspace', reason: 'manual' } })).status,
    ).toBe(404)
    expect(await timesAsked(gateway.contacts, 'SuppressContact')).toBe(0)
  })

  test('the refusal of the owning service comes last and keeps its status and message', async () => {
    const post = (path: string, body: object) => gateway.call('POST', `${newsletter}${path}`, { as: 'admin', body })
    const audienceId = await audience(gateway)
    const contactId = await contact(gateway)
    const taken = { name: 'News', slug: 'taken', purpose: 'tests' }
    expect((await post('/audiences', taken)).status).toBe(201)
    expect((await post(`/contacts/${contactId}/suppress`, { scope: 'workspace', reason: 'manual' })).status).toBe(200)

    const consent = { contact_id: contactId, source: 'form', wording_version: '1' }
    const nowhere = { scope: 'audience', audience_id: id, reason: 'manual' }
    const answers: [string, object, number, string][] = [
      ['/audiences', taken, 409, 'An audience with this slug exists already'],
      [`/audiences/${audienceId}/subscribe`, consent, 422, 'suppression with reason manual blocks this contact'],
      [`/contacts/${contactId}/suppress`, nowhere, 422, 'audience_id names nothing in this workspace'],
    ]
    for (const [path, body, status, words] of answers) {
      const answer = await post(path, body)
      expect(answer.status).toBe(status)
      expect(answer.text).toContain(words)
    }
    await withoutDatabase(gateway.stage, 'contacts', async () => {
      const answer = await post('/contacts/upsert', { email: 'a@b.test', source: 'form' })
      expect(answer.status).toBe(503)
      expect(answer.text).toContain('The database cannot be reached right now')
    })
  })
})

test('404 pages for an unassigned, a foreign and a missing object differ only in the correlation id', async () => {
  const headers = { 'x-correlation-id': 'same-correlation-id' }
  const body = { scope: 'workspace', reason: 'manual' }
  const pages = await Promise.all([
    gateway.call('GET', '/api/v1/nothing', { headers }),
    gateway.call('GET', newsletter, { as: 'outsider', headers }),
    gateway.call('GET', newsletter.replace('acme', 'nowhere'), { as: 'outsider', headers }),
    gateway.call('GET', newsletter.replace('acme', 'ACME%00'), { as: 'outsider', headers }),
    gateway.call('POST', suppress, { as: 'admin', body, headers }),
    gateway.call('POST', suppress.replace(id, 'no-id'), { as: 'admin', body, headers }),
  ])
  for (const page of pages)
    expect({ status: page.status, text: page.text }).toEqual({ status: 404, text: pages[0]!.text })
  expect(await timesAsked(gateway.contacts, 'SuppressContact')).toBeGreaterThan(0)
})

test('the owning service gets the caller and exactly the given fields, and returns the whole contact', async () => {
  for (const [key, type] of [
    ['score', 'decimal'],
    ['plan', 'text'],
  ]) {
    await gateway.stage.query(
      `insert into contacts.field_definitions (workspace_id, id, field_key, version, label, field_type, created_by)
       select id, $1, $2, 1, $2, $3, 'test' from identity.workspaces where slug = 'newsletter'`,
      [randomUUID(), key, type],
    )
  }
  const upsert = (body: object, headers: Record<string, string> = {}) =>
    gateway.call('POST', `${newsletter}/contacts/upsert`, { as: 'editor', body, headers })
  const named = { first_name: 'Ada', last_name: 'Lovelace', tags: ['x', 'y'], custom_fields: { score: 1.5, plan: 'a' } }
  const first = await upsert({ email: 'Ada@b.test', source: 'form', ...named, unknown: 1 })
  expect(first).toMatchObject({ status: 200, json: { created: true, contact: named } })

  const change = { first_name: null, tags: ['x'], custom_fields: { plan: null } }
  const { status, json } = await upsert(
    { email: 'ada@b.test', source: 'form', ...change },
    { 'x-correlation-id': 'corr-12345678' },
  )
  expect(status).toBe(200)
  expect(json).toEqual({
    created: false,
    contact: {
      id: expect.any(String),
      email: 'ada@b.test',
      normalized_email: 'ada@b.test',
      first_name: null,
      last_name: 'Lovelace',
      company: null,
      country_code: null,
      legacy_consent_classification: null,
      tags: ['x'],
      custom_fields: { score: 1.5 },
    },
  })
  const [provenance] = await gateway.stage.query(
    `select w.slug, p.actor, p.actor_kind, p.source from contacts.contact_provenance p join identity.workspaces w on w.id = p.workspace_id
      where p.correlation_id = 'corr-12345678'`,
  )
  expect(provenance).toEqual({ slug: 'newsletter', actor: 'editor', actor_kind: 'human', source: 'form' })
})

test('an answer that contradicts the document is a 500 without details', async () => {
  await contact(gateway, { email: 'odd@b.test', is_legacy: true })
  await gateway.stage.query(
    `alter table contacts.contacts drop constraint contacts_legacy_consent_grade_check;
     update contacts.contacts set legacy_consent_grade = 'no_such_grade' where email = 'odd@b.test'`,
  )
  const { status, text } = await gateway.call('GET', `${newsletter}/contacts/lookup?email=odd@b.test`, {
    as: 'analyst',
  })
  expect(status).toBe(500)
  expect(text).not.toContain('no_such_grade')
})
