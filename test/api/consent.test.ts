import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, contact } from '@lettergate/gateway/test/people-and-senders'

const globex = '/api/v1/organizations/globex/workspaces/main'

let gateway: GatewayStage
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  audienceId = await audience(gateway)
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())

const post = (path: string, body: object, as = 'admin') => gateway.call('POST', `${newsletter}${path}`, { as, body })
const subscribe = (contactId: string) =>
  post(`/audiences/${audienceId}/subscribe`, { contact_id: contactId, source: 'form', wording_version: '1' })
const reasons = async (contactId: string) => {
  const path = `${newsletter}/contacts/${contactId}/eligibility/${audienceId}`
  return ((await gateway.call('GET', path, { as: 'analyst' })).json['eligibility'] as { reasons: string[] }).reasons
}
const suppress = async (contactId: string, body: object) => {
  const { status, json } = await post(`/contacts/${contactId}/suppress`, { reason: 'manual', ...body })
  expect([status, json]).toEqual([200, { suppressed: true, suppression_id: expect.any(String) }])
  return json['suppression_id'] as string
}
const resolve = (suppressionId: string, as = 'admin', body: object = { resolution_reason: 'asked by phone' }) =>
  post(`/suppressions/${suppressionId}/resolve`, body, as)

describe('the refusal to subscribe', () => {
  test.each(['audience', 'workspace'])(
    'names the %s scope, the reason and what to resolve, which then helps',
    async (scope) => {
      const person = await contact(gateway)
      const suppressionId = await suppress(person, {
        scope,
        reason: 'other',
        ...(scope === 'audience' ? { audience_id: audienceId } : {}),
      })
      const refused = await subscribe(person)
      expect(refused.status).toBe(422)
      for (const word of [scope, 'other', suppressionId]) expect(refused.text).toContain(word)
      const resolved = await resolve(suppressionId)
      expect([resolved.status, resolved.json]).toEqual([200, { resolved: true }])
      expect((await subscribe(person)).status).toBe(200)
      expect(await reasons(person)).toEqual([])
    },
  )

  test('names scope and reason of a platform suppression, and no id', async () => {
    const person = await contact(gateway)
    const suppressionId = await suppress(person, { scope: 'platform', reason: 'legal' })
    const refused = await subscribe(person)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('platform')
    expect(refused.text).toContain('legal')
    expect(refused.text).not.toContain(suppressionId)
  })
})

describe('resolving a suppression', () => {
  test('again returns it as resolved and appends nothing', async () => {
    const person = await contact(gateway)
    const suppressionId = await suppress(person, { scope: 'workspace' })
    for (let again = 0; again < 3; again += 1) expect((await resolve(suppressionId)).json).toEqual({ resolved: true })
    const record = await gateway.stage.query(
      'select kind from contacts.consent_events where contact_id = $1 order by id',
      [person],
    )
    expect(record).toEqual([{ kind: 'suppressed' }, { kind: 'resolved' }])
  })

  test('of platform scope needs a platform owner or administrator, for any role in the workspace', async () => {
    const person = await contact(gateway)
    const suppressionId = await suppress(person, { scope: 'platform', reason: 'complaint' })
    for (const as of ['wsowner', 'admin']) {
      const { status, text } = await resolve(suppressionId, as)
      expect([status, text]).toEqual([403, expect.stringContaining('platform')])
    }
    expect(await reasons(person)).toContain('suppressed_platform')
    expect((await resolve(suppressionId, 'owner')).json).toEqual({ resolved: true })
    expect(await reasons(person)).not.toContain('suppressed_platform')
  })

  test('is checked in order: credential, workspace, capability, body, suppression', async () => {
    const person = await contact(gateway)
    const suppressionId = await suppress(person, { scope: 'workspace' })
    const path = `${newsletter}/suppressions/${suppressionId}/resolve`
    expect((await gateway.call('POST', path, { body: {} })).status).toBe(401)
    expect((await resolve(suppressionId, 'outsider', {})).status).toBe(404)
    expect((await resolve(suppressionId, 'editor', {})).status).toBe(403)
    for (const resolution_reason of [undefined, '', ' ', 'x'.repeat(501), null]) {
      for (const id of [suppressionId, randomUUID()]) {
        const { status, text } = await resolve(id, 'admin', { resolution_reason })
        expect([status, text]).toEqual([422, expect.stringContaining('resolution_reason')])
      }
    }
    expect((await resolve(randomUUID())).status).toBe(404)
    const theirs = await gateway.call('POST', `${globex}/suppressions/${suppressionId}/resolve`, {
      as: 'outsider',
      body: { resolution_reason: 'not mine' },
    })
    expect(theirs.status).toBe(404)
    expect(await reasons(person)).toContain('suppressed_workspace')
  })

  test('is in the audit log, with a platform suppression and its alert', async () => {
    const person = await contact(gateway)
    const suppressionId = await suppress(person, { scope: 'platform', reason: 'legal' })
    await resolve(suppressionId, 'owner')
    const actions = () =>
      gateway.stage.query(
        'select action, actor from identity.audit_log where subject_id = $1 order by recorded_at, id',
        [suppressionId],
      )
    await until(async () => (await actions()).length === 2, { what: 'both audit records' })
    expect(await actions()).toEqual(
      expect.arrayContaining([
        { action: 'contact_suppressed', actor: 'admin' },
        { action: 'suppression_resolved', actor: 'owner' },
      ]),
    )
    await until(
      async () =>
        (
          await gateway.stage.query(
            "select 1 from identity.alerts where code = 'platform_suppression_added' and detail->>'suppression_id' = $1",
            [suppressionId],
          )
        ).length === 1,
      { what: 'the alert' },
    )
  })
})

describe('suppressing', () => {
  test.each([
    ['scope', { scope: 'planet' }],
    ['reason', { reason: 'mood' }],
    ['audience_id', { scope: 'audience' }],
    ['audience_id', { scope: 'workspace', audience_id: 'given' }],
    ['audience_id', { scope: 'platform', audience_id: 'given' }],
    ['audience_id', { scope: 'audience', audience_id: randomUUID() }],
    ['audience_id', { scope: 'audience', audience_id: 'x' }],
    ['source', { source: ' ' }],
    ['evidence', { evidence: 'x' }],
  ])('with a bad %s is 422 and names it', async (field: string, part: Record<string, string>) => {
    const given = part['audience_id'] === 'given' ? { ...part, audience_id: audienceId } : part
    const person = await contact(gateway)
    const { status, text } = await post(`/contacts/${person}/suppress`, {
      scope: 'workspace',
      reason: 'manual',
      ...given,
    })
    expect([status, text]).toEqual([422, expect.stringContaining(field)])
  })

  test('on the platform applies to the address in every organization, also for later contacts', async () => {
    const email = `everywhere.${randomUUID().slice(0, 8)}@b.test`
    await suppress(await contact(gateway, { email }), { scope: 'platform', reason: 'legal' })
    const them = (path: string, body: object) => gateway.call('POST', `${globex}${path}`, { as: 'outsider', body })
    const later = await them('/contacts/upsert', { email: email.toUpperCase(), source: 'form' })
    const list = await them('/audiences', { name: 'Theirs', slug: `t-${randomUUID().slice(0, 8)}`, purpose: 'x' })
    const theirAudience = (list.json['audience'] as { id: string }).id
    const refused = await them(`/audiences/${theirAudience}/subscribe`, {
      contact_id: (later.json['contact'] as { id: string }).id,
      source: 'form',
      wording_version: '1',
    })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('platform')])
  })
})

test('never subscribed and unsubscribed have their own reasons; a fresh consent does not document an old one', async () => {
  const person = await contact(gateway)
  expect(await reasons(person)).toEqual(['consent_missing', 'not_subscribed'])
  const leave = () => post(`/audiences/${audienceId}/unsubscribe`, { contact_id: person })
  expect((await leave()).json).toEqual({ unsubscribed: true, scope: 'audience' })
  expect((await leave()).json).toEqual({ unsubscribed: true, scope: 'audience' })
  expect(await reasons(person)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])

  const legacy = await contact(gateway, { is_legacy: true })
  expect((await subscribe(legacy)).status).toBe(200)
  expect(await reasons(legacy)).toEqual(['legacy_consent_unverified'])
})

test('unknown ids and ids of other workspaces are 422 by field in a body and 404 in a path', async () => {
  const them = await gateway.call('POST', `${globex}/contacts/upsert`, {
    as: 'outsider',
    body: { email: 'foreign@b.test', source: 'form' },
  })
  const foreign = (them.json['contact'] as { id: string }).id
  for (const id of [foreign, randomUUID()]) {
    for (const action of ['subscribe', 'unsubscribe']) {
      const body = { contact_id: id, source: 'form', wording_version: '1' }
      const { status, text } = await post(`/audiences/${audienceId}/${action}`, body)
      expect([action, status, text]).toEqual([action, 422, expect.stringContaining('contact_id')])
    }
    expect((await post(`/contacts/${id}/suppress`, { scope: 'workspace', reason: 'manual' })).status).toBe(404)
    const eligibility = `${newsletter}/contacts/${id}/eligibility/${audienceId}`
    expect((await gateway.call('GET', eligibility, { as: 'analyst' })).status).toBe(404)
  }
})
