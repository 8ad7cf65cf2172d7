import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { newsletter } from '@lettergate/gateway/test/gateway-stage'
import { audience, contact, subscriber } from '@lettergate/gateway/test/people-and-senders'
import { createSource, grantFor, handIn, signUp } from '@lettergate/gateway/test/subscription-sources'
import { testingStage, type ApiTestingStage } from './testing-services.ts'

/** Every operation of every service reads equal values in the same way. */

const console_ = newsletter.replace('/api/v1', '/console/api')
let gateway: ApiTestingStage
let analyst: Browser
let audienceId: string
let domainId: string
let connectionId: string
beforeAll(async () => {
  gateway = await testingStage()
  analyst = await signIn(gateway, 'analyst')
  audienceId = await audience(gateway)
  const one = async (table: string) =>
    (await gateway.stage.query<{ id: string }>(`select id from sending.${table}`))[0]!.id
  domainId = await one('sending_domains')
  connectionId = await one('provider_connections')
})
afterAll(() => gateway.close())

const post = (path: string, body: object = {}, as = 'owner', headers: Record<string, string> = {}) =>
  gateway.call('POST', `${newsletter}${path}`, { as, body, headers })
const field = <T>(json: Record<string, unknown>, name: string) => json[name] as T

describe('an id in capitals', () => {
  const same = async (path: (id: string) => string, id: string) => {
    const [lower, upper] = [await analyst.call('GET', path(id)), await analyst.call('GET', path(id.toUpperCase()))]
    expect({ path: path('…'), status: upper.status }).toEqual({ path: path('…'), status: 200 })
    expect(upper.text).toBe(lower.text)
    expect(upper.text).not.toContain(id.toUpperCase())
  }

  test('finds each kind of object, and the answer has it in lower case', async () => {
    const { contactId } = await subscriber(gateway, audienceId)
    await same((id) => `${console_}/contacts/${id}`, contactId)
    await same((id) => `${console_}/contacts/${id}/last-messages`, contactId)
    await same((id) => `${newsletter}/audiences/${id}`, audienceId)
    await same((id) => `${console_}/sending-domains/${id}`, domainId)
    await same((id) => `${console_}/content-versions/${id}`, gateway.contentVersionId)
    const [template] = await gateway.stage.query<{ id: string }>('select id from campaigns.email_templates')
    await same((id) => `${console_}/email-templates/${id}`, template!.id)
    const draft = await post('/campaign-drafts', {
      name: 'Spring',
      audience_id: audienceId,
      sender_identity_id: gateway.senderId,
      content_version_id: gateway.contentVersionId,
    })
    await same((id) => `${console_}/campaigns/${id}`, field<{ id: string }>(draft.json, 'campaign').id)
  })

  test('reaches a suppression, a provider connection and an eligibility decision', async () => {
    const { contactId } = await subscriber(gateway, audienceId)
    const suppressed = await post(`/contacts/${contactId.toUpperCase()}/suppress`, {
      scope: 'audience',
      audience_id: audienceId.toUpperCase(),
      reason: 'manual',
    })
    expect(suppressed.status).toBe(200)
    const path = `/contacts/${contactId.toUpperCase()}/eligibility/${audienceId.toUpperCase()}`
    const { json } = await gateway.call('GET', `${newsletter}${path}`, { as: 'analyst' })
    expect(json['eligibility']).toMatchObject({
      contact_id: contactId,
      audience_id: audienceId,
      reasons: ['suppressed_audience'],
    })
    const [{ id }] = (await gateway.stage.query('select id from contacts.suppressions where contact_id = $1', [
      contactId,
    ])) as [{ id: string }]
    const resolved = await post(`/suppressions/${id.toUpperCase()}/resolve`, { resolution_reason: 'test' })
    expect([resolved.status, resolved.json]).toEqual([200, { resolved: true }])
    expect((await post(`/provider-connections/${connectionId.toUpperCase()}/check`)).status).toBe(200)
  })

  test('in a body names the same object as in lower case', async () => {
    const contactId = await contact(gateway)
    const subscribed = await post(`/audiences/${audienceId}/subscribe`, {
      contact_id: contactId.toUpperCase(),
      source: 'test',
      wording_version: '1',
    })
    expect(subscribed.status).toBe(200)
    const sender = await post('/sender-identities', {
      sending_domain_id: domainId.toUpperCase(),
      display_name: 'Acme',
      from_address: 'capital@mail.acme.test',
      reply_to: 'hello@acme.test',
    })
    expect(sender.status).toBe(200)
    expect(sender.text).not.toContain(domainId.toUpperCase())
    const draft = await post('/campaign-drafts', {
      name: 'Capital',
      audience_id: audienceId.toUpperCase(),
      sender_identity_id: gateway.senderId.toUpperCase(),
      content_version_id: gateway.contentVersionId.toUpperCase(),
    })
    expect([draft.status, field<{ draft: object }>(draft.json, 'campaign').draft]).toEqual([
      200,
      expect.objectContaining({
        audience_ids: [audienceId],
        sender_identity_id: gateway.senderId,
        content_version_id: gateway.contentVersionId,
      }),
    ])
  })

  test('of the same audience twice, in both cases, is one audience', async () => {
    const editor = await signIn(gateway, 'editor')
    const { json } = await editor.call('POST', `${console_}/campaign-drafts`, {
      body: {
        name: 'Twice',
        audience_ids: [audienceId, audienceId.toUpperCase()],
        sender_identity_id: gateway.senderId,
        content_version_id: gateway.contentVersionId,
      },
    })
    expect(field<{ draft: object }>(json, 'campaign').draft).toMatchObject({ audience_ids: [audienceId] })
  })
})

/** Each field that accepts an address; 422 must name the field. */
const places: Record<string, { field: string; send: (email: string) => ReturnType<typeof post> }> = {
  'contact upsert': { field: 'email', send: (email) => post('/contacts/upsert', { email, source: 'test' }) },
  lookup: {
    field: 'email',
    send: (email) =>
      gateway.call('GET', `${newsletter}/contacts/lookup?email=${encodeURIComponent(email)}`, { as: 'analyst' }),
  },
  'source event': {
    field: 'email',
    send: async (email) => {
      const source = await createSource(gateway)
      const token = await grantFor(gateway, source.id, 'events.write')
      return handIn(gateway, source.slug, { token, body: { ...signUp(audienceId), contact: { email } } })
    },
  },
  'reply address of a sender': {
    field: 'reply_to',
    send: (email) =>
      post('/sender-identities', {
        sending_domain_id: domainId,
        display_name: 'Acme',
        from_address: `n-${randomUUID().slice(0, 8)}@mail.acme.test`,
        reply_to: email,
      }),
  },
  'test send': {
    field: 'recipient_email',
    send: (email) =>
      post(
        '/test-sends',
        {
          sender_identity_id: gateway.senderId,
          content_version_id: gateway.contentVersionId,
          recipient_email: email,
          confirmation: 'SEND TEST EMAIL',
        },
        'editor',
        { 'idempotency-key': randomUUID() },
      ),
  },
}
const host254 = (local: string) => `${local}@${`${'b'.repeat(61)}.`.repeat(3)}${'c'.repeat(53)}.example.org`

describe.each(Object.entries(places))('an address at %s', (_, { field: name, send }) => {
  test.each([
    ['of 64 characters before the @', `${'a'.repeat(64)}@example.org`],
    ['with blanks around it', ' Ada@example.org '],
    ['of 254 characters', host254('a'.repeat(2))],
  ])('%s is taken', async (_what, email) => {
    expect(host254('a'.repeat(2))).toHaveLength(254)
    const { status, text } = await send(email)
    // a refusal by the allowlist and an address without a contact have other answers than an invalid address
    expect({ status, text }).not.toMatchObject({ text: expect.stringMatching(/deliverable|must be an email address/) })
    expect([200, 404, 422]).toContain(status)
    if (status === 422) expect(text).toContain('ALLOWLIST')
  })

  test.each([
    ['of 65 characters before the @', `${'a'.repeat(65)}@example.org`],
    ['of 255 characters', host254('a'.repeat(3))],
    ['without a second label', 'ada@example'],
    ['with a numeric last label', 'ada@example.1'],
    ['with a dot at the end', 'ada@example.org.'],
    ['in angle brackets', '<ada@example.org>'],
    ['with a letter beyond ASCII before the @', 'åda@example.org'],
    ['with punycode that stands for nothing', 'ada@xn--a.org'],
    ['after more blanks than an address is long', `${' '.repeat(400)}ada@example.org`],
  ])('%s is 422 and the field is named', async (_what, email) => {
    const { status, text } = await send(email)
    expect({ status, named: text.includes(name) }).toEqual({ status: 422, named: true })
  })
})

describe('a moment', () => {
  const eventAt = async (captured_at: string) => {
    const source = await createSource(gateway)
    const token = await grantFor(gateway, source.id, 'events.write')
    return (await handIn(gateway, source.slug, { token, body: { ...signUp(audienceId), captured_at } })).status
  }
  let fieldKey: string
  beforeAll(async () => {
    fieldKey = `at_${randomUUID().slice(0, 8)}`
    await post('/contact-field-definitions', { field_key: fieldKey, label: 'At', field_type: 'datetime' })
  })
  const fieldAt = async (value: string) =>
    (
      await post('/contacts/upsert', {
        email: `${randomUUID()}@b.test`,
        source: 'test',
        custom_fields: { [fieldKey]: value },
      })
    ).status

  test.each([
    '2026-03-31T09:00:00Z',
    '2026-03-31t09:00:00z',
    '2026-03-31T09:00:00.123456789+02:00',
    '2026-03-31T09:00:00-00:00',
  ])('%s is one, in a sign-up and in a custom field', async (at) => {
    expect([await eventAt(at), await fieldAt(at)]).toEqual([200, 200])
  })

  test.each([
    '2026-02-29T09:00:00Z',
    '2026-03-31T09:00:60Z',
    '2026-03-31T24:00:00Z',
    '2026-03-31T09:00:00',
    '2026-03-31 09:00:00Z',
    '0001-01-01T00:00:00+00:01',
  ])('%s is none, in a sign-up and in a custom field', async (at) => {
    expect([await eventAt(at), await fieldAt(at)]).toEqual([422, 422])
  })
})
