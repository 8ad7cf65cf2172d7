import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'

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

  test('a wrong method is 405 with Allow, before anybody asks who calls', async () => {
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
    expect(gateway.asked).toEqual([])
  })

  test('what the owning service says comes last and keeps its status and words', async () => {
    const body = { scope: 'workspace', reason: 'manual' }
    const answers: [Fault, number][] = [
      [new Fault('conflict', 'taken', 'That is taken. Choose another.'), 409],
      [new Fault('failed_precondition', 'state', 'Not in this state.'), 422],
      [new Fault('invalid_argument', 'audience_id', 'audience_id names no audience.'), 422],
      [new Fault('resource_exhausted', 'cap', 'Too many today.'), 429],
      [new Fault('unavailable', 'database', 'Try again in a moment.'), 503],
    ]
    for (const [fault, status] of answers) {
      gateway.contacts['suppressContact'] = () => {
        throw fault
      }
      const answer = await gateway.call('POST', suppress, { as: 'admin', body })
      expect(answer.status).toBe(status)
      expect(answer.text).toContain(fault.message)
    }
  })
})

test('404 pages for not assigned, foreign and absent are equal but for the correlation id', async () => {
  gateway.contacts['suppressContact'] = () => {
    throw new Fault('not_found', 'contact', 'This very contact is not there.')
  }
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
})

test('the caller, the path and the mask of named fields travel to the owning service', async () => {
  gateway.asked.length = 0
  gateway.contacts['upsertContact'] = () => ({
    contact: {
      id,
      email: 'a@b.test',
      normalizedEmail: 'a@b.test',
      tags: [],
      customFields: { score: 1.5, nested: { deep: [null, true] } },
    },
    created: true,
  })
  const { status, json } = await gateway.call('POST', `${newsletter}/contacts/upsert`, {
    as: 'editor',
    body: { email: 'a@b.test', source: 'form', first_name: null, tags: ['x'], custom_fields: { a: null }, unknown: 1 },
    headers: { 'x-correlation-id': 'corr-12345678' },
  })
  expect(status).toBe(200)
  expect(json).toEqual({
    created: true,
    contact: {
      id,
      email: 'a@b.test',
      normalized_email: 'a@b.test',
      first_name: null,
      last_name: null,
      company: null,
      country_code: null,
      legacy_consent_classification: null,
      tags: ['x'].slice(1),
      custom_fields: { score: 1.5, nested: { deep: [null, true] } },
    },
  })
  const [{ scope, request }] = gateway.asked as [(typeof gateway.asked)[0]]
  expect(scope.caller).toMatchObject({
    organization: 'acme',
    workspace: 'newsletter',
    actor: 'editor',
    actorKind: 'human',
    authMethod: 'bearer',
    role: 'editor',
    platformRole: null,
    correlationId: 'corr-12345678',
  })
  expect(request).toMatchObject({
    email: 'a@b.test',
    source: 'form',
    tags: ['x'],
    customFields: { a: null },
    updateMask: { paths: ['email', 'source', 'first_name', 'tags', 'custom_fields'] },
  })
  expect((request as { firstName?: string }).firstName).toBeUndefined()
})

test('an answer that contradicts the document is a 500 that says nothing of itself', async () => {
  gateway.contacts['suppressContact'] = () => ({ suppressed: true })
  gateway.contacts['getEligibility'] = () => ({ eligibility: { eligible: true, reasons: ['no_such_reason'] } })
  const { status, text } = await gateway.call('GET', `${newsletter}/contacts/${id}/eligibility/${id}`, {
    as: 'analyst',
  })
  expect(status).toBe(500)
  expect(text).not.toContain('no_such_reason')
})
